/**
 * A set of hashes in a fixed number of bits, which says of each whether it was there before, and how many there were. Two different
 * hashes may share a bit, so the count is a lower bound: of 200 different ones in 2,048 bits some 190 are counted, whatever their order.
 * Once half of the bits are set, all are cleared and the count goes on, so that a set that is too small for what comes does not say
 * that nothing is new any more: what comes again may then be counted again.
 */
export class SeenSet {
  readonly #words: Uint32Array
  readonly #mask: number
  #bits = 0
  #count = 0

  /** @param bits a power of two, at least 32 */
  constructor(bits: number) {
    this.#words = new Uint32Array(bits / 32)
    this.#mask = bits - 1
  }

  /** About how many different hashes were put in. */
  get count(): number {
    return this.#count
  }

  has(hash: number): boolean {
    const bit = hash & this.#mask
    return ((this.#words[bit >>> 5] ?? 0) & (1 << (bit & 31))) !== 0
  }

  /** Puts a hash in; true where its bit was not set yet. */
  add(hash: number): boolean {
    const bit = hash & this.#mask
    const index = bit >>> 5
    const word = this.#words[index] ?? 0
    const one = 1 << (bit & 31)
    if ((word & one) !== 0) return false
    if (this.#bits > this.#mask >>> 1) this.#forget()
    this.#words[index] = (this.#words[index] ?? 0) | one
    this.#bits += 1
    this.#count += 1
    return true
  }

  clear(): void {
    this.#forget()
    this.#count = 0
  }

  #forget(): void {
    if (this.#bits > 0) this.#words.fill(0)
    this.#bits = 0
  }
}
