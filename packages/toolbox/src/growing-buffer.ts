/** UTF-8 takes at most three bytes for a code unit of UTF-16. */
const BYTES_PER_CODE_UNIT_MAX = 3
const LINE_FEED = 0x0a

/** Bytes that are appended one after another, in one buffer that doubles when it is full. */
export class GrowingBuffer {
  /** Bytes written so far. */
  length = 0
  #bytes: Buffer<ArrayBuffer>

  /** @param capacity bytes allocated at first */
  constructor(capacity: number) {
    this.#bytes = Buffer.allocUnsafeSlow(capacity)
  }

  /** A view of what was written; valid until more is written, or until `clear`. */
  get bytes(): Buffer<ArrayBuffer> {
    return this.#bytes.subarray(0, this.length)
  }

  /** Appends `source` from `start` to `end`. */
  append(source: Buffer, start = 0, end = source.length): void {
    this.#reserve(end - start)
    source.copy(this.#bytes, this.length, start, end)
    this.length += end - start
  }

  /** Appends a text in UTF-8, and a line feed. A lone surrogate becomes U+FFFD. */
  appendLine(text: string): void {
    this.#reserve(text.length * BYTES_PER_CODE_UNIT_MAX)
    this.length += this.#bytes.write(text, this.length)
    this.appendLineFeed()
  }

  appendLineFeed(): void {
    this.#reserve(1)
    this.#bytes[this.length] = LINE_FEED
    this.length += 1
  }

  /** Forgets what was written; the memory is used again, so views of it must not be read any more. */
  clear(): void {
    this.length = 0
  }

  /** Makes room for `bytes` more. */
  #reserve(bytes: number): void {
    if (this.length + bytes <= this.#bytes.length) return
    const larger = Buffer.allocUnsafeSlow(Math.max(this.#bytes.length * 2, this.length + bytes))
    this.#bytes.copy(larger, 0, 0, this.length)
    this.#bytes = larger
  }
}
