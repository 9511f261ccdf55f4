/** Requests by hour and researcher. */
import type { TrafficStore } from '../../../../traffic-store/connection.ts'
import { countByBucket, type Scope } from '../predicate.ts'

export interface ResearcherHour {
  readonly researcher_id: string
  readonly requests: number
  /** Index of the hour that they fall into. */
  readonly bucket: number
}

/** More rows than this are not answered. */
export const RESEARCHER_HOURS_MAX = 50_000

/** In no order; one more than `RESEARCHER_HOURS_MAX` at most, so that too many are known as such. */
export const researcherHours = (
  store: TrafficStore,
  scope: Scope,
  startsMs: readonly number[],
): Promise<ResearcherHour[]> =>
  countByBucket<Omit<ResearcherHour, 'bucket'>>(store, scope, startsMs, {
    family: 'activity',
    columns: ['researcher_id', 'requests'],
    select: 'researcher_id, sum(requests) AS requests',
    groupBy: 'researcher_id HAVING requests > 0',
    limit: RESEARCHER_HOURS_MAX + 1,
  })
