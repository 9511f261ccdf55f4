/**
 * The operations of a site as far as they are known: what is given, what was confirmed, and what was learned of its traffic.
 *
 * Learning takes seconds where there is much traffic. So what was learned is kept for a while, in bounded memory: it is answered as long
 * as the documents and confirmed operations are those that it was learned beside, whichever control plane changed them, and learned
 * anew meanwhile.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Database } from '../../../database/database.ts'
import { ProblemError } from '../../../errors.ts'
import { readRowWith } from '../../../http/rows.ts'
import type { ApiLearner, LearnedApi } from '../definition/api-learner.ts'
import type { LearnedSite } from '../definition/observations-store.ts'
import { findSite } from '../store.ts'
import { KeptOperations } from './kept-operations.ts'
import { inForce, type OperationInForce } from './site-api.ts'
import { findKnownSource } from './store.ts'

export interface KnownOperations {
  readonly siteId: string
  readonly originName: string
  readonly gatedName: string
  /** Without candidates. */
  readonly operations: readonly OperationInForce[]
}

export interface OperationsInForce extends Pick<ApiLearner, 'learn'> {
  /**
   * What is given and confirmed as it is now, and what is learned as it was at most a quarter of an hour ago; `isFresh` learns it now. Throws
   * a 404 for a site that the organization does not have, and the learner's 503.
   */
  of(orgId: string, id: string, options?: { readonly isFresh?: boolean }): Promise<KnownOperations>
}

export interface OperationsInForceDeps {
  readonly database: Database
  readonly apiLearner: Pick<ApiLearner, 'learn'>
  readonly failed: (error: unknown) => void
  /** Milliseconds since any instant. A clock that is set back would keep what is old for as long. */
  readonly now?: () => number
}

/** What is younger is answered as it is. */
const FRESH_MS = 15_000
/** What is older is learned while somebody waits, for so long; then they are answered what is kept. */
const WAIT_MS = 100
/** What is older is not answered. Sites with traffic are learned so often anyway. */
const KEPT_MS = 15 * 60_000

export function createOperationsInForce({
  database,
  apiLearner,
  failed,
  now = () => performance.now(),
}: OperationsInForceDeps): OperationsInForce {
  const kept = new KeptOperations()
  const learn = async (site: LearnedSite): Promise<LearnedApi> => {
    const startedAt = now()
    const api = await apiLearner.learn(site)
    kept.set(site, { operations: inForce(api), source: api.source, learnedAt: startedAt })
    return api
  }
  const learnNow = async (site: LearnedSite, source: string): Promise<readonly OperationInForce[]> => {
    const api = await learn(site)
    // It may have been under way when what is known changed.
    return inForce(api.source === source ? api : await learn(site))
  }
  const operationsNow = async (
    site: LearnedSite,
    source: string,
    isFresh: boolean,
  ): Promise<readonly OperationInForce[]> => {
    const known = kept.get(site)
    const ageMs = now() - (known?.learnedAt ?? 0)
    if (isFresh || known?.source !== source || ageMs > KEPT_MS) return learnNow(site, source)
    if (ageMs < FRESH_MS) return known.operations
    const learning = learnNow(site, source).catch((error: unknown) => {
      // Whoever has to wait for it is told that it cannot be learned.
      if (!(error instanceof ProblemError)) failed(error)
      return known.operations
    })
    return Promise.race([learning, sleep(WAIT_MS, known.operations, { ref: false })])
  }
  return {
    learn,
    of: async (orgId, id, { isFresh = false } = {}) => {
      const [site, source] = await readRowWith(database, orgId, id, findSite, (tx) =>
        findKnownSource(tx, orgId, id),
      )
      return {
        siteId: site.id,
        originName: site.origin_name,
        gatedName: site.gated_name,
        operations: await operationsNow({ orgId, id: site.id }, source, isFresh),
      }
    },
  }
}
