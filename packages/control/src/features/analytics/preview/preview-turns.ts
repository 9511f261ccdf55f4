/** Whose preview is worked out next: organizations take turns, so that one that asks for many holds up no other. */
import { FairQueue } from '@sallyport/toolbox'
import { ProblemError } from '../../../errors.ts'

/** Previews at once; judging is work for the processor. */
const RUNNING_MAX = 2
const WAITING_MAX = 300
const WAITING_OF_ORGANIZATION_MAX = 30

export class PreviewTurns {
  readonly #waiting = new FairQueue<() => void>()
  #running = 0

  /** Runs a task when it is its turn. Rejects with 429 where too many wait. */
  async run<Result>(orgId: string, task: () => Promise<Result>): Promise<Result> {
    if (this.#running < RUNNING_MAX) this.#running += 1
    else {
      const ofOrganization = this.#waiting.lengthOf(orgId)
      if (ofOrganization >= WAITING_OF_ORGANIZATION_MAX || this.#waiting.length >= WAITING_MAX)
        throw new ProblemError('too_many_requests')
      // A task that ends hands its place over, so it is counted already when this one goes on.
      await new Promise<void>((resolve) => this.#waiting.push(orgId, resolve))
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
