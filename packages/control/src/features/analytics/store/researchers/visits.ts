/**
 * Visits: runs of requests of one researcher without a long pause.
 *
 * Requests are first summed by researcher and stretches of time as long as the pause that ends a visit. Within such a
 * stretch no pause can be longer, so that only its first and last request say where a visit ends: what is sorted and compared is
 * a row for each stretch, 48 a day and researcher, however many requests there were.
 */
import { VERDICT_WORDS, VISIT_PAUSE_MINUTES, type Visit } from '@sallyport/contract'
import type { TrafficStore } from '../../../../traffic-store/connection.ts'
import { MINUTE_MS } from '../../query/time-segments.ts'
import { ATTEMPTED_CLASSES, VERDICT_COUNTS } from '../coverage/covered-columns.ts'
import { Parameters, requestsOf, type Scope } from '../predicate.ts'
import { byCount, type SummedNames, VERDICT_SUMS, type VerdictRow, verdictsOf } from './class-counts.ts'

const VISITS_MAX = 500
const CLASSES_MAX = 50
const SITES_MAX = 50
const TOOLS_MAX = 16
const PAUSE_MS = VISIT_PAUSE_MINUTES * MINUTE_MS

interface Row extends VerdictRow {
  readonly hacker: string
  readonly start_ms: number
  readonly end_ms: number
  readonly requests: number
  readonly attempts: number
  readonly classes: SummedNames
  readonly sites: SummedNames
  readonly tools: readonly string[]
}

/** The visits in a scope, which names its researchers: newest first; `isPartial` where there were more. */
export async function visits(
  store: Pick<TrafficStore, 'query'>,
  scope: Scope,
): Promise<{ readonly visits: Visit[]; readonly isPartial: boolean }> {
  const parameters = new Parameters()
  const rows = await store.query<Row>(
    `SELECT hacker, min(first_ms) AS start_ms, max(last_ms) AS end_ms, sum(sent) AS requests, sum(tried) AS attempts, ${VERDICT_SUMS},
       sumMap(class_sums.1, class_sums.2) AS classes, sumMap(site_sums.1, site_sums.2) AS sites,
       arraySort(groupUniqArrayArray(${TOOLS_MAX})(used)) AS tools
     FROM (${numbered(scope, parameters)}) AS c GROUP BY hacker, visit ORDER BY start_ms DESC, hacker LIMIT ${VISITS_MAX + 1}`,
    parameters.values,
  )
  return { visits: rows.slice(0, VISITS_MAX).map(toVisit), isPartial: rows.length > VISITS_MAX }
}

/** How many visits there were, by researcher. */
export async function visitCounts(
  store: Pick<TrafficStore, 'query'>,
  scope: Scope,
): Promise<ReadonlyMap<string, number>> {
  const parameters = new Parameters()
  const rows = await store.query<{ hacker: string; visits: number }>(
    `SELECT hacker, max(visit) AS visits FROM (${numbered(scope, parameters, false)}) GROUP BY hacker`,
    parameters.values,
  )
  return new Map(rows.map(({ hacker, visits: count }) => [hacker, count]))
}

/** A row for each stretch, with the number of its visit. */
const numbered = (scope: Scope, parameters: Parameters, withCounts = true): string => {
  const inOrder = 'PARTITION BY hacker ORDER BY stretch ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW'
  return `SELECT *, sum(begins) OVER (${inOrder}) AS visit FROM (
    SELECT *, row_number() OVER (${inOrder}) = 1 OR first_ms - lagInFrame(last_ms) OVER (${inOrder}) > ${PAUSE_MS} AS begins
    FROM (${stretches(scope, parameters, withCounts)}))`
}

function stretches(scope: Scope, parameters: Parameters, withCounts: boolean): string {
  const stretch = `intDiv(toUnixTimestamp64Milli(requests.time), ${PAUSE_MS}) AS stretch`
  const from = requestsOf(scope, parameters, ["kind != 'websocket_close'"])
  const span = 'toUnixTimestamp64Milli(min(time)) AS first_ms, toUnixTimestamp64Milli(max(time)) AS last_ms'
  if (!withCounts)
    return `SELECT toString(researcher_id) AS hacker, ${stretch}, ${span} FROM ${from} GROUP BY hacker, stretch`
  const sums = VERDICT_WORDS.map((word) => `sum(${VERDICT_COUNTS[word]}) AS ${word}`)
  // By site and tool first: a list of these for each request would cost more than all else.
  const alike = `SELECT researcher_id, ${stretch}, site_id, tool, min(requests.time) AS first_at, max(requests.time) AS last_at,
      sum(request_count) AS sent_there, sumIf(request_count, notEmpty(${ATTEMPTED_CLASSES})) AS attempts, ${sums.join(', ')},
      sumMapIf(${ATTEMPTED_CLASSES}, arrayMap(class -> request_count, ${ATTEMPTED_CLASSES}), notEmpty(hit_rules)) AS attempted
    FROM ${from} GROUP BY researcher_id, stretch, site_id, tool`
  return `SELECT toString(researcher_id) AS hacker, stretch, toUnixTimestamp64Milli(min(first_at)) AS first_ms,
      toUnixTimestamp64Milli(max(last_at)) AS last_ms, sum(sent_there) AS sent, sum(attempts) AS tried, ${VERDICT_SUMS},
      sumMap(attempted.1, attempted.2) AS class_sums, sumMap([toString(site_id)], [sent_there]) AS site_sums,
      groupUniqArray(${TOOLS_MAX})(toString(tool)) AS used
    FROM (${alike}) AS c GROUP BY hacker, stretch`
}

const toVisit = (row: Row): Visit => ({
  hacker: row.hacker,
  start: new Date(row.start_ms).toISOString(),
  end: new Date(row.end_ms).toISOString(),
  requests: row.requests,
  attempts: row.attempts,
  attacks: byCount(row.classes, CLASSES_MAX).map(([name, attempts]) => ({ class: name, attempts })),
  verdicts: verdictsOf(row),
  sites: byCount(row.sites, SITES_MAX).map(([site, requests]) => ({ site, requests })),
  tools: [...row.tools],
})
