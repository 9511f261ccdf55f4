import { FairQueue } from './fair-queue.ts'

export interface FairSemaphoreOptions {
  /** Tasks of one owner that may wait, and of all: as in `FairQueue`'s `hasRoomFor`. */
  readonly room: { readonly ofOwner: number; readonly ofAll: number }
  /** What a refused task rejects with. */
  readonly refusal: () => Error
}

/** Admits so many tasks at once; of others that wait, owners take turns, and one owner's tasks keep their order. */
export class FairSemaphore {
  readonly #runningMax: number
  readonly #options: FairSemaphoreOptions
  readonly #waiting = new FairQueue<() => void>()
  #running = 0

  constructor(runningMax: number, options: FairSemaphoreOptions) {
    this.#runningMax = runningMax
    this.#options = options
  }

  /** Runs a task once it is admitted; the outcome is the task's. Rejects with the refusal where too many wait. */
  async run<Result>(owner: string, task: () => Promise<Result>): Promise<Result> {
    if (this.#running < this.#runningMax) this.#running += 1
    else {
      if (!this.#waiting.hasRoomFor(owner, this.#options.room)) throw this.#options.refusal()
      // A task that ends hands its permit over, so it is counted already when this one goes on.
      await new Promise<void>((resolve) => this.#waiting.push(owner, resolve))
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
