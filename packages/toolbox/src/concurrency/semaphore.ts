import { FairSemaphore } from './fair-semaphore.ts'

export interface SemaphoreOptions {
  /** Tasks that may wait to be admitted; beyond it, one more is refused. */
  readonly waitingMax?: number
  /** What a refused task rejects with. */
  readonly refusal?: () => Error
}

/** Admits so many tasks at once; others wait, in the order in which they came. */
export class Semaphore {
  readonly #permits: FairSemaphore

  constructor(runningMax: number, options: SemaphoreOptions = {}) {
    const waitingMax = options.waitingMax ?? Number.POSITIVE_INFINITY
    this.#permits = new FairSemaphore(runningMax, {
      room: { ofOwner: waitingMax, ofAll: waitingMax },
      refusal: options.refusal ?? (() => new Error('too many wait')),
    })
  }

  /** Runs a task once it is admitted; the outcome is the task's. Rejects with the refusal where too many wait. */
  run<Result>(task: () => Promise<Result>): Promise<Result> {
    return this.#permits.run('', task)
  }
}
