import { setImmediate as nextTurn } from 'node:timers/promises'

/** Divides long work into slices, between which the event loop serves others. */
export class TimeSlicer {
  readonly #sliceMs: number
  #since = performance.now()

  /** @param sliceMs longest time without letting others go on, but for the step that is under way */
  constructor(sliceMs: number) {
    this.#sliceMs = sliceMs
  }

  /** True when the present slice is used up: time to await `next`. */
  get spent(): boolean {
    return performance.now() - this.#since >= this.#sliceMs
  }

  /** Resolves in a later turn of the event loop, with a new slice. */
  async next(): Promise<void> {
    await nextTurn()
    this.#since = performance.now()
  }

  /** Runs all steps of some work, in as many slices as it needs. */
  async run(steps: Iterable<unknown>): Promise<void> {
    for (const _step of steps) if (this.spent) await this.next()
  }
}
