/** Bytes in lines, and lines in turns: what reading a feed and reading its file have in common. */
import { setImmediate as nextTurn } from 'node:timers/promises'

const NEWLINE = 10
const NOTHING = Buffer.alloc(0)

/**
 * The lines in bytes that arrive in chunks, each with its newline: after each `add`, `next` until it has none. Lines are not
 * gathered in arrays, because V8 counts as alive what is stored in one while it marks, and then moves it.
 */
export class LineReader {
  #chunk: Buffer = NOTHING
  #at = 0
  /** What came of a line whose newline has not come yet. */
  #begun: Buffer[] = []

  add(chunk: Buffer): void {
    this.#chunk = chunk
    this.#at = 0
  }

  /** The next whole line, a view of the chunk if it lies in one. */
  next(): Buffer | undefined {
    const end = this.#chunk.indexOf(NEWLINE, this.#at)
    const piece = this.#chunk.subarray(this.#at, end < 0 ? undefined : end + 1)
    this.#at += piece.length
    if (end >= 0 && this.#begun.length === 0) return piece
    if (piece.length > 0) this.#begun.push(piece)
    return end < 0 ? undefined : this.rest()
  }

  /** What follows the last newline; empty where nothing does. */
  rest(): Buffer {
    const rest = Buffer.concat(this.#begun)
    this.#begun = []
    return rest
  }
}

/** Divides long work into slices, between which requests get their turn. */
export class Slices {
  readonly #sliceMs: number
  #since = performance.now()

  constructor(sliceMs: number) {
    this.#sliceMs = sliceMs
  }

  /** True when the present slice is used up: time to await `next`. */
  get spent(): boolean {
    return performance.now() - this.#since >= this.#sliceMs
  }

  async next(): Promise<void> {
    await nextTurn()
    this.#since = performance.now()
  }

  /** Takes all steps of some work, in as many slices as it needs. */
  async through(steps: Iterable<unknown>): Promise<void> {
    for (const _step of steps) if (this.spent) await this.next()
  }
}
