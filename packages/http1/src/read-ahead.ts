/**
 * Bytes that a connection has read and not consumed yet. The buffer doubles, so that a head sent byte by byte costs no more than
 * one sent at once. Consumed bytes stay until something is added: moving the rest to the beginning each time would make many
 * small pipelined requests cost the square of their number.
 */

const EMPTY = Buffer.alloc(0)
const CAPACITY_MIN = 1_024

export class ReadAhead {
  #buffer = EMPTY
  #start = 0
  #length = 0
  /** How far it was searched in vain for the end of a head. */
  searched = 0

  get length(): number {
    return this.#length
  }
  /** A view, valid until the next call that changes it. */
  get bytes(): Buffer {
    return this.#buffer.subarray(this.#start, this.#start + this.#length)
  }

  /** What was kept and what was read now, in one piece. */
  join(read: Buffer): Buffer {
    if (this.#length === 0) return read
    this.#append(read, 0)
    return this.bytes
  }

  /** Keeps what was not consumed of `bytes`, which `join` or `bytes` returned, from `at` on. */
  keep(bytes: Buffer, at: number): void {
    if (at === bytes.length) {
      this.clear()
      return
    }
    if (bytes.buffer === this.#buffer.buffer && this.#length > 0) {
      this.#start += at
      this.#length -= at
    } else this.#append(bytes, at)
  }

  clear(): void {
    this.#buffer = EMPTY
    this.#start = 0
    this.#length = 0
  }

  #append(bytes: Buffer, from: number): void {
    const length = this.#length + bytes.length - from
    if (length > this.#buffer.length) {
      const larger = Buffer.allocUnsafeSlow(Math.max(CAPACITY_MIN, 2 * length))
      this.bytes.copy(larger)
      this.#buffer = larger
      this.#start = 0
    } else if (this.#start + length > this.#buffer.length) {
      this.#buffer.copyWithin(0, this.#start, this.#start + this.#length)
      this.#start = 0
    }
    bytes.copy(this.#buffer, this.#start + this.#length, from)
    this.#length = length
  }
}
