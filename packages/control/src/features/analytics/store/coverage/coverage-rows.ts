/** What of a scope covers which operation, class of attack and parameter: sums by recorded route. */
import type { Outcome } from '@sallyport/contract'
import type { TrafficStore } from '../../../../traffic-store/connection.ts'
import { Parameters, type Scope, source } from '../predicate.ts'

/** `request` counts requests, `class` those with a class of attack, `parameter` those with a class in a parameter. */
export type CoverageLevel = 'request' | 'class' | 'parameter'

/** Requests to one route that are alike in all of this. Times are milliseconds since the epoch. */
export interface CoverageRow {
  readonly level: CoverageLevel
  readonly route: string
  readonly method: string
  /** Empty at the level of requests; part and parameter are empty at every level but the last. */
  readonly class: string
  readonly part: string
  readonly parameter: string
  readonly outcome: Outcome
  readonly status: number
  readonly reason: string
  readonly requests: number
  /** Who sent them, at most 100; strangers have none. */
  readonly researchers: readonly string[]
  readonly first_ms: number
  readonly last_ms: number
}

export interface CoverageRows {
  readonly rows: readonly CoverageRow[]
  /** Whether there were more: the rarest are then left out. */
  readonly isPartial: boolean
}

const ROWS_MAX = 100_000
const RESEARCHERS_MAX = 100
const KEY = 'level, route, method, class, part, parameter, outcome, status, reason'

/** The rows of the levels asked for, with most requests first. */
export async function coverageRows(
  store: Pick<TrafficStore, 'query'>,
  scope: Scope,
  levels: readonly CoverageLevel[],
): Promise<CoverageRows> {
  const parameters = new Parameters()
  const columns = [...KEY.split(', '), 'researcher_id', 'requests', 'first_seen', 'last_seen']
  const from = source(scope, 'coverage', columns, parameters)
  const rows = await store.query<CoverageRow>(
    `SELECT ${KEY}, sum(c.requests) AS requests,
       groupUniqArrayIf(${RESEARCHERS_MAX})(toString(researcher_id), researcher_id != '') AS researchers,
       toUnixTimestamp64Milli(min(c.first_seen)) AS first_ms, toUnixTimestamp64Milli(max(c.last_seen)) AS last_ms
     FROM ${from} AS c WHERE toString(level) IN ${parameters.bind('Array(String)', levels)}
     GROUP BY ${KEY} ORDER BY requests DESC, ${KEY} LIMIT ${ROWS_MAX + 1}`,
    parameters.values,
  )
  return { rows: rows.slice(0, ROWS_MAX), isPartial: rows.length > ROWS_MAX }
}
