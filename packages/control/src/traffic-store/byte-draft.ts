/** Bytes while they are gathered, in one buffer that grows, with the few ways in which ClickHouse writes values. */

const FIRST_BYTES = 1024
/** UTF-8 takes at most three bytes for a unit of UTF-16. */
const BYTES_A_UNIT_MAX = 3
const VARINT_BYTES_MAX = 8
const TWO_TO_32 = 2 ** 32

export class ByteDraft {
  length = 0
  #bytes: Buffer<ArrayBuffer>

  constructor(expectedBytes = FIRST_BYTES) {
    this.#bytes = Buffer.allocUnsafeSlow(expectedBytes)
  }

  /** What was gathered between two places. Valid until more is added. */
  slice(first = 0, end = this.length): Buffer<ArrayBuffer> {
    return this.#bytes.subarray(first, end)
  }

  addBytes(bytes: Uint8Array): void {
    this.#makeRoom(bytes.length)
    this.#bytes.set(bytes, this.length)
    this.length += bytes.length
  }

  /** Numbers as they lie in memory. */
  addNumbers({ buffer, byteOffset, byteLength }: ArrayBufferView): void {
    this.addBytes(new Uint8Array(buffer, byteOffset, byteLength))
  }

  /** Eight bytes, of a whole number that JavaScript can say exactly. */
  addUint64(value: number): void {
    this.#makeRoom(8)
    this.#bytes.writeUInt32LE(value % TWO_TO_32, this.length)
    this.#bytes.writeUInt32LE(Math.floor(value / TWO_TO_32), this.length + 4)
    this.length += 8
  }

  /** A number in groups of seven bits, the lowest first, as lengths are written (LEB128). */
  addVarint(value: number): void {
    this.#makeRoom(VARINT_BYTES_MAX)
    this.length = this.#putVarint(value, this.length)
  }

  /** A text in UTF-8 after its length. Halves of surrogate pairs, which UTF-8 cannot say, become U+FFFD. */
  addText(text: string): void {
    this.#makeRoom(text.length * BYTES_A_UNIT_MAX + VARINT_BYTES_MAX)
    // Most texts are ASCII, with as many bytes as units. The others may need a longer length before them.
    const start = this.#putVarint(text.length, this.length)
    const bytes = this.#bytes.write(text, start)
    const moved = bytes === text.length ? start : this.#putVarint(bytes, this.length)
    if (moved !== start) this.#bytes.write(text, moved)
    this.length = moved + bytes
  }

  #putVarint(value: number, at: number): number {
    let rest = value
    let place = at
    for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) {
      this.#bytes[place] = (rest % 0x80) | 0x80
      place += 1
    }
    this.#bytes[place] = rest
    return place + 1
  }

  #makeRoom(bytes: number): void {
    if (this.length + bytes <= this.#bytes.length) return
    const larger = Buffer.allocUnsafeSlow(Math.max(this.#bytes.length * 2, this.length + bytes))
    this.#bytes.copy(larger, 0, 0, this.length)
    this.#bytes = larger
  }
}
