/** Whether the rollups of a store hold what its requests add up to, and the deletion of a day from requests and rollups alike. */
import { setTimeout as sleep } from 'node:timers/promises'
import { SCANNER_PERCENT_MIN } from '@sallyport/contract'
import type { TrafficStore } from '../../traffic-store/connection.ts'
import type { RowFilter, TrafficReading } from '../traffic-pieces-store.ts'
import { type DayTable, ofDay, ofOwners } from './days-store.ts'

/** What each rollup adds up, and the same of the requests: every rollup that the store makes of them is named here. */
const REQUESTS = "sumIf(request_count, kind != 'websocket_close')"
const SCANNERS = `sumIf(request_count, kind != 'websocket_close' AND scanner_percent >= ${SCANNER_PERCENT_MIN})`
const MATCHES = "sum(request_count * (length(hit_rules) + (rule != '' AND outcome IN ('block', 'limit'))))"
/** Hits that count as attempts. */
const ATTEMPTED =
  "arrayFilter(hit -> NOT hit_excluded[hit] AND hit_classes[hit] != 'definition', arrayEnumerate(hit_classes))"
/** A request is counted once, and once for each of its classes. */
const COVERED = `sumIf(request_count * (1 + length(arrayDistinct(arrayMap(hit -> toString(hit_classes[hit]), ${ATTEMPTED})))), kind != 'websocket_close')`
const VERDICTS_SUMMED =
  'server_error + reached + refused_by_origin + throttled_by_origin + unanswered + definition + throttled + firewall + block + gate'
const ATTEMPTS = `sumIf(request_count * length(arrayDistinct(arrayMap(hit -> (toString(hit_classes[hit]), toString(hit_parts[hit]), hit_parameters[hit]), ${ATTEMPTED}))), kind != 'websocket_close')`
const SUMMED: Readonly<Record<string, { readonly column: string; readonly ofRequests: string }>> = {
  traffic_minutes: { column: 'requests', ofRequests: REQUESTS },
  traffic_hours: { column: 'requests', ofRequests: REQUESTS },
  activity_hours: { column: 'requests', ofRequests: REQUESTS },
  scanners_hours: { column: 'requests', ofRequests: SCANNERS },
  urls_ten_minutes: { column: 'requests', ofRequests: REQUESTS },
  urls_three_hours: { column: 'requests', ofRequests: REQUESTS },
  urls_days: { column: 'requests', ofRequests: REQUESTS },
  rules_minutes: { column: 'hits', ofRequests: MATCHES },
  rules_hours: { column: 'hits', ofRequests: MATCHES },
  coverage_hours: { column: VERDICTS_SUMMED, ofRequests: COVERED },
  coverage_days: { column: VERDICTS_SUMMED, ofRequests: COVERED },
  coverage_totals_hours: { column: 'requests', ofRequests: COVERED },
  attempts_hours: { column: 'attempts', ofRequests: ATTEMPTS },
  attempts_days: { column: VERDICTS_SUMMED, ofRequests: ATTEMPTS },
}
const POLL_MS = 100

/**
 * Organizations of which a rollup does not hold, for a day, what the requests of the store add up to: an insert was cut off between
 * them. Where something of the day may have been deleted by its age already, nothing is said.
 */
export async function findUnsummed(
  store: TrafficReading,
  table: DayTable,
  { day, keptUntil }: { readonly day: number; readonly keptUntil: number },
): Promise<string[]> {
  const { condition, parameters } = ofDay(table, day, 0)
  const sumsOf = async (sql: string): Promise<Map<string, number>> => {
    const rows = await store.query<{ owner: string; sum: number }>(sql, parameters)
    return new Map(rows.map(({ owner, sum }) => [owner, sum]))
  }
  const ages = await store.query<{ owner: string; days: number }>(
    `SELECT toString(org_id) AS owner, min(retention_days) AS days FROM requests WHERE ${condition} GROUP BY owner`,
    parameters,
  )
  const kept = ages.filter(({ days }) => day + days * 86_400 > keptUntil).map(({ owner }) => owner)
  const unsummed = new Set<string>()
  const expected = new Map<string, Map<string, number>>()
  for (const [rollup, { column, ofRequests }] of Object.entries(SUMMED)) {
    const known = expected.get(ofRequests)
    const wanted =
      known ??
      (await sumsOf(
        `SELECT toString(org_id) AS owner, ${ofRequests} AS sum FROM requests WHERE ${condition} GROUP BY owner`,
      ))
    expected.set(ofRequests, wanted)
    const summed = await sumsOf(
      `SELECT toString(org_id) AS owner, sum(${column}) AS sum FROM ${rollup}
       WHERE time >= toDateTime({first:UInt32}) AND time < toDateTime({end:UInt32}) GROUP BY owner`,
    )
    for (const owner of kept) if ((wanted.get(owner) ?? 0) !== (summed.get(owner) ?? 0)) unsummed.add(owner)
  }
  return [...unsummed]
}

/** Which of these organizations, none of whose requests of a day are left, still stand in a rollup: a deletion was cut off. */
export async function findSummed(
  store: TrafficReading,
  table: DayTable,
  day: number,
  owners: readonly string[],
): Promise<string[]> {
  if (owners.length === 0) return []
  const { condition, parameters } = ofOwners(table, wholeDay(day), owners)
  const questions = Object.keys(SUMMED).map((rollup) => `SELECT org_id FROM ${rollup} WHERE ${condition}`)
  const rows = await store.query<{ owner: string }>(
    `SELECT DISTINCT toString(org_id) AS owner FROM (${questions.join(' UNION ALL ')})`,
    parameters,
  )
  return rows.map(({ owner }) => owner)
}

/** Deletes a day of these organizations, of requests together with their rollups, and resolves once it is gone. */
export async function deleteDay(
  store: Pick<TrafficStore, 'query' | 'command'>,
  table: DayTable,
  {
    day,
    owners,
    signal,
  }: { readonly day: number; readonly owners: readonly string[]; readonly signal: AbortSignal },
): Promise<void> {
  const { condition, parameters } = ofOwners(table, wholeDay(day), owners)
  const names = table.name === 'requests' ? [table.name, ...Object.keys(SUMMED)] : [table.name]
  for (const name of names)
    await store.command(
      `ALTER TABLE ${name} DELETE WHERE ${condition} SETTINGS mutations_sync = 0`,
      parameters,
    )
  for (const name of names)
    while ((await countRows(store, name, { condition, parameters })) > 0)
      await sleep(POLL_MS, undefined, { signal })
}

const wholeDay = (day: number): RowFilter => ({
  condition: 'time >= toDateTime({first:UInt32}) AND time < toDateTime({end:UInt32})',
  parameters: { first: day, end: day + 86_400 },
})

async function countRows(
  store: Pick<TrafficStore, 'query'>,
  table: string,
  { condition, parameters }: RowFilter,
): Promise<number> {
  const [count] = await store.query<{ rows: number }>(
    `SELECT count() AS rows FROM ${table} WHERE ${condition}`,
    parameters,
  )
  return count?.rows ?? 0
}
