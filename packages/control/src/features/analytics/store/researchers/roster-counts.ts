/** Counts by researcher, all in one query each: a roster is sorted by them. */
import type { TrafficStore } from '../../../../traffic-store/connection.ts'
import { Parameters, type Scope, source } from '../predicate.ts'

/** Far more than an organization has. */
const RESEARCHERS_MAX = 100_000

interface Counts {
  readonly requests: number
  readonly hits: number
}

export async function rosterCounts(
  store: Pick<TrafficStore, 'query'>,
  scope: Scope,
): Promise<ReadonlyMap<string, Counts>> {
  const parameters = new Parameters()
  const from = source(scope, 'activity', ['researcher_id', 'requests', 'hits'], parameters)
  const rows = await store.query<Counts & { readonly hacker: string }>(
    `SELECT toString(researcher_id) AS hacker, sum(c.requests) AS requests, sum(c.hits) AS hits
     FROM ${from} AS c WHERE researcher_id != '' GROUP BY hacker LIMIT ${RESEARCHERS_MAX}`,
    parameters.values,
  )
  return new Map(rows.map(({ hacker, ...counts }) => [hacker, counts]))
}

/** When each was last seen in all that is recorded, in milliseconds since the epoch. */
export async function rosterLastSeen(
  store: Pick<TrafficStore, 'query'>,
  orgId: string,
): Promise<ReadonlyMap<string, number>> {
  const parameters = new Parameters()
  const scope = { orgId, from: 0, to: Number.POSITIVE_INFINITY, filter: {} }
  const from = source(scope, 'activity', ['researcher_id', 'last_seen'], parameters)
  const rows = await store.query<{ hacker: string; last_ms: number }>(
    `SELECT toString(researcher_id) AS hacker, toUnixTimestamp64Milli(max(last_seen)) AS last_ms
     FROM ${from} WHERE researcher_id != '' GROUP BY hacker LIMIT ${RESEARCHERS_MAX}`,
    parameters.values,
  )
  return new Map(rows.map(({ hacker, last_ms: last }) => [hacker, last]))
}
