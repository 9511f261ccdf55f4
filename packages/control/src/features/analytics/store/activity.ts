/** Who, or which tool, did how much in a scope. */
import type { TrafficStore } from '../../../traffic-store/connection.ts'
import { OUTCOME_COLUMNS, type OutcomeCounts, type OutcomeRow, outcomesOf } from '../query/outcomes.ts'
import { countByBucket, Parameters, type Scope, source } from './predicate.ts'

/** By what activity can be grouped. */
const ACTIVITY_KEYS = { hacker: 'researcher_id', tool: 'tool', site: 'site_id' } as const
export type ActivityKey = keyof typeof ACTIVITY_KEYS

export interface Activity {
  /** A researcher's id, a tool's name, a site's id; empty for strangers, a browser, and the gate's own host. */
  readonly value: string
  readonly requests: number
  readonly outcomes: OutcomeCounts
  readonly requestBytes: number
  readonly responseBytes: number
  readonly firewallHits: number
  readonly hackers: number
  readonly sites: number
  readonly lastSeen: string
}

const ACTIVITY_ROWS_MAX = 1_000

interface Row extends OutcomeRow {
  readonly value: string
  readonly total: number
  readonly sent: number
  readonly received: number
  readonly hit_count: number
  readonly hackers: number
  readonly sites: number
  readonly last_ms: number
}

export async function activity(store: TrafficStore, scope: Scope, by: ActivityKey): Promise<Activity[]> {
  const parameters = new Parameters()
  const columns = [
    'researcher_id',
    'tool',
    'site_id',
    'outcome',
    'requests',
    'hits',
    'request_bytes',
    'response_bytes',
    'last_seen',
  ]
  const rows = await store.query<Row>(
    `SELECT ${ACTIVITY_KEYS[by]} AS value, sum(requests) AS total, ${OUTCOME_COLUMNS}, sum(request_bytes) AS sent,
       sum(response_bytes) AS received, sum(hits) AS hit_count, uniqExactIf(researcher_id, researcher_id != '') AS hackers,
       uniqExactIf(site_id, site_id != '') AS sites, toUnixTimestamp64Milli(max(last_seen)) AS last_ms
     FROM ${source(scope, 'activity', columns, parameters)}
     GROUP BY value ORDER BY total DESC, value LIMIT ${ACTIVITY_ROWS_MAX}`,
    parameters.values,
  )
  return rows.map((row) => ({
    value: row.value,
    requests: row.total,
    outcomes: outcomesOf(row),
    requestBytes: row.sent,
    responseBytes: row.received,
    firewallHits: row.hit_count,
    hackers: row.hackers,
    sites: row.sites,
    lastSeen: new Date(row.last_ms).toISOString(),
  }))
}

/** The same, each with its requests in every bucket. `startsMs` are the starts of the buckets, as `bucketStarts` makes them. */
export async function activityOverTime(
  store: TrafficStore,
  scope: Scope,
  by: ActivityKey,
  startsMs: readonly number[],
): Promise<(Activity & { readonly counts: number[] })[]> {
  const found = await activity(store, scope, by)
  const countsOf = new Map(found.map(({ value }) => [value, startsMs.map(() => 0)] as const))
  const column = ACTIVITY_KEYS[by]
  const cells = await countByBucket<{ readonly value: string; readonly total: number }>(
    store,
    scope,
    startsMs,
    {
      family: 'activity',
      columns: [column, 'requests'],
      select: `${column} AS value, sum(requests) AS total`,
      groupBy: 'value',
    },
  )
  for (const { value, bucket, total } of cells) {
    const counts = countsOf.get(value)
    if (counts) counts[bucket] = (counts[bucket] ?? 0) + total
  }
  return found.map((row) => ({ ...row, counts: countsOf.get(row.value) ?? [] }))
}
