/** Counts the messages of a WebSocket in one direction, from the frame headers alone (RFC 6455, section 5.2). */
import { MESSAGES_MAX } from '@sallyport/contract/words'

const HEADER_BYTES_MAX = 14

export class FrameCounter {
  messages = 0
  /** The beginning of a header that a read has cut. */
  readonly #cut = Buffer.alloc(2 * HEADER_BYTES_MAX)
  #have = 0
  /** Bytes of the present frame that are still to come. */
  #skip = 0

  /** Takes what passed. Frames may be of two bytes, so what one costs is kept low. */
  count(chunk: Buffer): void {
    let at = this.#have > 0 ? this.#takeCut(chunk) : 0
    while (at < chunk.length) {
      if (this.#skip > 0) {
        const skipped = Math.min(this.#skip, chunk.length - at)
        this.#skip -= skipped
        at += skipped
        continue
      }
      const bytes = this.#readHeader(chunk, at, chunk.length)
      if (bytes < 0) {
        this.#have = chunk.copy(this.#cut, 0, at)
        return
      }
      at += bytes
    }
  }

  /** Goes on with a header that was cut; how much of `chunk` belongs to it. */
  #takeCut(chunk: Buffer): number {
    const had = this.#have
    const copied = chunk.copy(this.#cut, had, 0, Math.min(chunk.length, HEADER_BYTES_MAX))
    const bytes = this.#readHeader(this.#cut, 0, had + copied)
    if (bytes < 0) {
      this.#have = had + copied
      return chunk.length
    }
    this.#have = 0
    return bytes - had
  }

  /** The size of the header that begins at `at`, or -1 where its end has not come. */
  #readHeader(bytes: Buffer, at: number, end: number): number {
    if (end - at < 2) return -1
    const first = bytes[at] ?? 0
    const second = bytes[at + 1] ?? 0
    const code = second & 0x7f
    const size = 2 + (code === 126 ? 2 : code === 127 ? 8 : 0) + ((second & 0x80) !== 0 ? 4 : 0)
    if (end - at < size) return -1
    // Control frames (opcode 8 and above) are no messages; of the others the one with FIN ends a message.
    if ((first & 0x80) !== 0 && (first & 0x0f) < 8 && this.messages < MESSAGES_MAX) this.messages++
    if (code === 126) this.#skip = bytes.readUInt16BE(at + 2)
    else if (code === 127) this.#skip = Number(bytes.readBigUInt64BE(at + 2))
    else this.#skip = code
    return size
  }
}
