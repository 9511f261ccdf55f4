/** Bytes in lines, and lines in turns: what reading a feed and reading its file have in common. */
import { setImmediate as nextTurn } from 'node:timers/promises'

const NEWLINE = 10

/** The lines of a stream, each with its newline, in groups as they arrive; what follows the last newline comes without. */
export async function* linesOf(chunks: AsyncIterable<Buffer>): AsyncGenerator<readonly Buffer[]> {
  let begun: Buffer[] = []
  for await (const chunk of chunks) {
    const lines: Buffer[] = []
    let start = 0
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, start)) {
      const line = chunk.subarray(start, end + 1)
      lines.push(begun.length > 0 ? Buffer.concat([...begun, line]) : line)
      begun = []
      start = end + 1
    }
    if (start < chunk.length) begun.push(chunk.subarray(start))
    yield lines
  }
  if (begun.length > 0) yield [Buffer.concat(begun)]
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
