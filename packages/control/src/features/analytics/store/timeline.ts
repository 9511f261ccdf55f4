/** Requests over time, by who answered them. */
import type { TrafficStore } from '../../../traffic-store/connection.ts'
import { bucketIndex, stepOf } from '../query/buckets.ts'
import { familyFor } from '../query/family.ts'
import { noOutcomes, type OutcomeCounts } from '../query/outcomes.ts'
import { Parameters, type Scope, source } from './predicate.ts'

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
  const step = stepOf(startsMs)
  const parameters = new Parameters()
  const from = source(scope, familyFor(scope.filter), ['outcome', 'requests'], parameters, step * 1000)
  const rows = await store.query<{ step: number; outcome: keyof OutcomeCounts; requests: number }>(
    `SELECT intDiv(at, ${step}) AS step, outcome, sum(requests) AS requests FROM ${from} GROUP BY step, outcome`,
    parameters.values,
  )
  const buckets = startsMs.map((start) => ({
    time: new Date(start).toISOString(),
    total: 0,
    outcomes: noOutcomes(),
  }))
  for (const row of rows) {
    const bucket = buckets[bucketIndex(startsMs, row.step * step * 1000)]
    if (!bucket) continue
    bucket.total += row.requests
    bucket.outcomes[row.outcome] += row.requests
  }
  return buckets
}
