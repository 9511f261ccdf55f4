/** Learns the APIs of sites from their recorded traffic: in a thread of its own, one after the other, each once for all who wait for it. */
import type { LearnedOperation } from '@sallyport/api-learning'
import { Semaphore, WorkerThread } from '@sallyport/toolbox'
import { ProblemError } from '../../../errors.ts'
import type { TrafficStore } from '../../../traffic-store/connection.ts'
import { type LearnedSite, readObservations } from './observations-store.ts'

export interface ApiLearner {
  /** Rejects with a 503 where too many wait, or where the traffic store is away. */
  learn(site: LearnedSite): Promise<readonly LearnedOperation[]>
  /** Ends the thread. */
  close(): Promise<void>
}

/** How long traffic counts. */
const LEARNED_DAYS = 30
const DAY_MS = 86_400_000
const DEADLINE_MS = 20_000
const WAITING_MAX = 32
const RESOURCE_LIMITS = { maxOldGenerationSizeMb: 512, maxYoungGenerationSizeMb: 32 }

export function createApiLearner(store: Pick<TrafficStore, 'readLines'>): ApiLearner {
  const thread = new WorkerThread<Uint8Array, readonly LearnedOperation[]>(
    new URL('./learner-thread.ts', import.meta.url),
    { name: 'api-learner', resourceLimits: RESOURCE_LIMITS },
  )
  const turns = new Semaphore(1, { waitingMax: WAITING_MAX, refusal: tooManyWait })
  const underWay = new Map<string, Promise<readonly LearnedOperation[]>>()

  const learn = async (site: LearnedSite): Promise<readonly LearnedOperation[]> =>
    turns.run(async () => {
      const lines = Uint8Array.from(await readObservations(store, site, Date.now() - LEARNED_DAYS * DAY_MS))
      return thread.ask(lines, { deadlineMs: DEADLINE_MS, transfer: [lines.buffer] })
    })

  return {
    learn: (site) => {
      const key = `${site.orgId} ${site.id}`
      const known = underWay.get(key)
      if (known !== undefined) return known
      const learning = learn(site).finally(() => underWay.delete(key))
      underWay.set(key, learning)
      return learning
    },
    close: () => thread.close(),
  }
}

const tooManyWait = (): ProblemError =>
  new ProblemError('unavailable', {
    detail: 'Too many definitions wait to be learned; try again.',
    headers: { 'retry-after': '10' },
  })
