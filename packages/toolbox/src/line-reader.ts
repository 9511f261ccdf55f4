const LINE_FEED = 0x0a
const NOTHING = Buffer.alloc(0)

/**
 * Splits bytes that arrive in chunks into lines, each with its line feed: after each `add`, `next` until it has none. Lines are
 * not gathered in arrays, because V8 counts as alive what is stored in one while it marks, and then moves it.
 */
export class LineReader {
  #chunk: Buffer = NOTHING
  #at = 0
  /** The beginning of a line whose line feed has not arrived. */
  #begun: Buffer[] = []

  /** The chunk must stay as it is until `next` has returned undefined, and longer where lines that it returned are kept. */
  add(chunk: Buffer): void {
    this.#chunk = chunk
    this.#at = 0
  }

  /** The next whole line, a view of the chunk if it lies in one. */
  next(): Buffer | undefined {
    return this.#upTo(this.#chunk.indexOf(LINE_FEED, this.#at))
  }

  /** All whole lines that have arrived, in one piece. */
  nextLines(): Buffer | undefined {
    const end = this.#chunk.lastIndexOf(LINE_FEED)
    return this.#upTo(end < this.#at ? -1 : end)
  }

  /** Bytes of a line that has begun and whose line feed has not arrived. */
  get pendingBytes(): number {
    return this.#begun.reduce((sum, { length }) => sum + length, 0)
  }

  /** What follows the last line feed; empty where nothing does. */
  rest(): Buffer {
    const rest = Buffer.concat(this.#begun)
    this.#begun = []
    return rest
  }

  #upTo(end: number): Buffer | undefined {
    const piece = this.#chunk.subarray(this.#at, end < 0 ? undefined : end + 1)
    this.#at += piece.length
    if (end < 0) {
      // A copy, because the next chunk may be read into the same memory.
      if (piece.length > 0) this.#begun.push(Buffer.from(piece))
      return undefined
    }
    if (this.#begun.length === 0) return piece
    this.#begun.push(piece)
    return this.rest()
  }
}
