/** Rows of an insert while they are gathered: a JSON array a line, in one buffer that grows. */

const FIRST_BYTES = 64 * 1024
/** UTF-8 takes at most three bytes for a unit of UTF-16. */
const BYTES_A_UNIT_MAX = 3
const LINE_FEED = 0x0a

export class RowDraft {
  #bytes = Buffer.allocUnsafe(FIRST_BYTES)
  #used = 0

  /** The rows so far. They must not be added to while these bytes are being stored. */
  get bytes(): Buffer {
    return this.#bytes.subarray(0, this.#used)
  }

  add(row: string): void {
    this.#makeRoom(row.length * BYTES_A_UNIT_MAX + 1)
    this.#used += this.#bytes.write(row, this.#used)
    this.#bytes[this.#used] = LINE_FEED
    this.#used += 1
  }

  #makeRoom(bytes: number): void {
    if (this.#used + bytes <= this.#bytes.length) return
    const larger = Buffer.allocUnsafe(Math.max(this.#bytes.length * 2, this.#used + bytes))
    this.#bytes.copy(larger, 0, 0, this.#used)
    this.#bytes = larger
  }
}
