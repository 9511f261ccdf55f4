export interface SemaphoreOptions {
  /** Tasks that may wait to be admitted; beyond it, one more is refused. */
  readonly waitingMax?: number
  /** What a refused task rejects with. */
  readonly refusal?: () => Error
}

/** Admits so many tasks at once; others wait, in the order in which they came. */
export class Semaphore {
  readonly #runningMax: number
  readonly #waitingMax: number
  readonly #refusal: () => Error
  readonly #waiting: (() => void)[] = []
  #running = 0

  constructor(runningMax: number, options: SemaphoreOptions = {}) {
    this.#runningMax = runningMax
    this.#waitingMax = options.waitingMax ?? Number.POSITIVE_INFINITY
    this.#refusal = options.refusal ?? (() => new Error('too many wait'))
  }

  /** Runs a task once it is admitted; the outcome is the task's. Rejects with the refusal where too many wait. */
  async run<Result>(task: () => Promise<Result>): Promise<Result> {
    if (this.#running < this.#runningMax) this.#running += 1
    else {
      if (this.#waiting.length >= this.#waitingMax) throw this.#refusal()
      // A task that ends hands its permit over, so it is counted already when this one goes on.
      await new Promise<void>((resolve) => this.#waiting.push(resolve))
    }
    try {
      return await task()
    } finally {
      const next = this.#waiting.shift()
      if (next) next()
      else this.#running -= 1
    }
  }
}
