/** Bytes that are written one after another into a buffer that doubles, in the few ways in which ClickHouse encodes values. */

const FIRST_BYTES = 1024
/** UTF-8 takes at most three bytes for a code unit of UTF-16. */
const BYTES_PER_CODE_UNIT_MAX = 3
const VARINT_BYTES_MAX = 8
const TWO_TO_32 = 2 ** 32

export class ByteWriter {
  length = 0
  #bytes: Buffer<ArrayBuffer>

  constructor(expectedBytes = FIRST_BYTES) {
    this.#bytes = Buffer.allocUnsafeSlow(expectedBytes)
  }

  /** A view of what was written between two places; valid until more is written. */
  slice(first = 0, end = this.length): Buffer<ArrayBuffer> {
    return this.#bytes.subarray(first, end)
  }

  writeBytes(bytes: Uint8Array): void {
    this.#reserve(bytes.length)
    this.#bytes.set(bytes, this.length)
    this.length += bytes.length
  }

  /** Numbers as they lie in memory, little-endian. */
  writeNumbers({ buffer, byteOffset, byteLength }: ArrayBufferView): void {
    this.writeBytes(new Uint8Array(buffer, byteOffset, byteLength))
  }

  /** Eight bytes, of a whole number that JavaScript can hold exactly. */
  writeUint64(value: number): void {
    this.#reserve(8)
    this.#bytes.writeUInt32LE(value % TWO_TO_32, this.length)
    this.#bytes.writeUInt32LE(Math.floor(value / TWO_TO_32), this.length + 4)
    this.length += 8
  }

  /** A number in groups of seven bits, the lowest first, as lengths are written (LEB128). */
  writeVarint(value: number): void {
    this.#reserve(VARINT_BYTES_MAX)
    this.length = this.#putVarint(value, this.length)
  }

  /** A text in UTF-8 after its length. A lone surrogate becomes U+FFFD. */
  writeString(text: string): void {
    this.#reserve(text.length * BYTES_PER_CODE_UNIT_MAX + VARINT_BYTES_MAX)
    // Most texts are ASCII, with as many bytes as units. The others may need a longer length before them.
    const start = this.#putVarint(text.length, this.length)
    const bytes = this.#bytes.write(text, start)
    const moved = bytes === text.length ? start : this.#putVarint(bytes, this.length)
    if (moved !== start) this.#bytes.write(text, moved)
    this.length = moved + bytes
  }

  /** Returns where the number ends. */
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

  #reserve(bytes: number): void {
    if (this.length + bytes <= this.#bytes.length) return
    const larger = Buffer.allocUnsafeSlow(Math.max(this.#bytes.length * 2, this.length + bytes))
    this.#bytes.copy(larger, 0, 0, this.length)
    this.#bytes = larger
  }
}
