/** Requests over time, by who answered them. */
import type { TrafficStore } from '../../../traffic-store/connection.ts'
import { familyFor } from '../query/family.ts'
import { noOutcomes, type OutcomeCounts } from '../query/outcomes.ts'
import { countByBucket, type Scope } from './predicate.ts'

export interface TimelineBucket {
  readonly time: string
  readonly total: number
  readonly outcomes: OutcomeCounts
}

/** Counts for every bucket, zeros included. `startsMs` are the starts of the buckets, as `bucketStarts` makes them. */
export async function timeline(
  store: TrafficStore,
  scope: Scope,
  startsMs: readonly number[],
): Promise<TimelineBucket[]> {
  const buckets = startsMs.map((start) => ({
    time: new Date(start).toISOString(),
    total: 0,
    outcomes: noOutcomes(),
  }))
  const rows = await countByBucket<{ outcome: keyof OutcomeCounts; requests: number }>(
    store,
    scope,
    startsMs,
    {
      family: familyFor(scope.filter),
      columns: ['outcome', 'requests'],
      select: 'outcome, sum(requests) AS requests',
      groupBy: 'outcome',
    },
  )
  for (const row of rows) {
    const bucket = buckets[row.bucket]
    if (!bucket) continue
    bucket.total += row.requests
    bucket.outcomes[row.outcome] += row.requests
  }
  return buckets
}
