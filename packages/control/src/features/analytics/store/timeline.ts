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

/** A row of `countByBucket` by outcome. */
export interface CountedOutcome {
  readonly bucket: number
  readonly outcome: keyof OutcomeCounts
  readonly counted: number
}

/** A bucket for each start, zeros included. */
export function outcomeBuckets(
  startsMs: readonly number[],
  rows: readonly CountedOutcome[],
): TimelineBucket[] {
  const buckets = startsMs.map((start) => ({
    time: new Date(start).toISOString(),
    total: 0,
    outcomes: noOutcomes(),
  }))
  for (const { bucket: index, outcome, counted } of rows) {
    const bucket = buckets[index]
    if (!bucket) continue
    bucket.total += counted
    bucket.outcomes[outcome] += counted
  }
  return buckets
}

/** Counts for every bucket. `startsMs` are the starts of the buckets, as `bucketStarts` makes them. */
export async function timeline(
  store: TrafficStore,
  scope: Scope,
  startsMs: readonly number[],
): Promise<TimelineBucket[]> {
  const rows = await countByBucket<CountedOutcome>(store, scope, startsMs, {
    family: familyFor(scope.filter),
    columns: ['outcome', 'requests'],
    select: 'outcome, sum(requests) AS counted',
    groupBy: 'outcome',
  })
  return outcomeBuckets(startsMs, rows)
}
