/**
 * Learns the APIs of sites from their recorded traffic: in a thread of its own, one after the other, organizations in turns, each site once
 * for all who wait for its turn. Who asks while a site is read waits for its next turn, so that an answer has all that was stored before it was
 * asked for.
 */
import { FairSemaphore, ThreadDeadlineError, ThreadEndedError, WorkerThread } from '@sallyport/toolbox'
import { type ProblemError, unavailable } from '../../../errors.ts'
import type { TrafficStore } from '../../../traffic-store/connection.ts'
import type { PackedText } from '../documents/document-text.ts'
import type { ConfirmedOperation } from '../operations/site-api.ts'
import type { LearnerQuestion, SiteApi } from './learn-api.ts'
import { type LearnedSite, readObservations } from './observations-store.ts'

export interface LearnedApi extends SiteApi {
  /** What tells that which was known of it from what is known at other times. */
  readonly source: string
}

export interface ApiLearner {
  /** Rejects with a 503 where too many wait, where there is too much to learn, or where the traffic store is away. */
  learn(site: LearnedSite): Promise<LearnedApi>
  /** Ends the thread. */
  close(): Promise<void>
}

/** What is known of a site's API already. */
export type KnownOf = (site: LearnedSite) => Promise<{
  readonly documents: readonly PackedText[]
  readonly confirmed: readonly ConfirmedOperation[]
  readonly source: string
}>

export interface ApiLearnerOptions {
  readonly store: Pick<TrafficStore, 'readLines'>
  readonly knownOf: KnownOf
  readonly deadlineMs?: number
}

/** How long traffic counts. */
export const LEARNED_DAYS = 30
const DAY_MS = 86_400_000
/** Several times what the most costs that the learner is ever given. */
const DEADLINE_MS = 20_000
/** For sites that wait. */
const ROOM = { ofOwner: 8, ofAll: 64 }
const RESOURCE_LIMITS = { maxOldGenerationSizeMb: 512, maxYoungGenerationSizeMb: 32 }

export function createApiLearner({
  store,
  knownOf,
  deadlineMs = DEADLINE_MS,
}: ApiLearnerOptions): ApiLearner {
  const thread = new WorkerThread<LearnerQuestion, SiteApi>(new URL('./learner-thread.ts', import.meta.url), {
    name: 'api-learner',
    resourceLimits: RESOURCE_LIMITS,
  })
  const turns = new FairSemaphore(1, { room: ROOM, refusal: tooManyWait })
  const waiting = new Map<string, Promise<LearnedApi>>()
  let isClosed = false

  const learn = async (site: LearnedSite): Promise<LearnedApi> => {
    if (isClosed) throw tooManyWait()
    const [{ documents, confirmed, source }, read] = await Promise.all([
      knownOf(site),
      readObservations(store, site, Date.now() - LEARNED_DAYS * DAY_MS),
    ])
    const lines = Uint8Array.from(read)
    const api = await thread
      .ask({ lines, documents, confirmed }, { deadlineMs, transfer: [lines.buffer] })
      .catch((cause: unknown) => {
        throw isTooMuch(cause) ? tooMuchToLearn(cause) : cause
      })
    return { ...api, source }
  }

  return {
    learn: (site) => {
      const key = `${site.orgId} ${site.id}`
      const known = waiting.get(key)
      if (known !== undefined) return known
      let isRead = false
      const learning = turns.run(site.orgId, () => {
        isRead = true
        waiting.delete(key)
        return learn(site)
      })
      if (!isRead) waiting.set(key, learning)
      learning.catch(() => {
        if (waiting.get(key) === learning) waiting.delete(key)
      })
      return learning
    },
    close: () => {
      isClosed = true
      return thread.close()
    },
  }
}

/** A thread that needs too much memory is ended with an error of that name. */
const isTooMuch = (error: unknown): boolean =>
  error instanceof ThreadDeadlineError ||
  error instanceof ThreadEndedError ||
  (error instanceof Error && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY')

const tooMuchToLearn = (cause: unknown): ProblemError =>
  unavailable(
    'There is too much traffic of this site to learn its API from it now; try again later.',
    60,
    cause,
  )

const tooManyWait = (): ProblemError => unavailable('Too many definitions wait to be learned; try again.', 10)
