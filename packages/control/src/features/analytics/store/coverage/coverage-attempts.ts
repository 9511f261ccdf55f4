/** The attempts of one class of attack by one method, by route, researcher, parameter and what became of them. */
import type { Outcome } from '@sallyport/contract'
import type { TrafficStore } from '../../../../traffic-store/connection.ts'
import { Parameters, type Scope, source } from '../predicate.ts'

/** Attempts that are alike in all of this. Times are milliseconds since the epoch. */
export interface AttemptRow {
  readonly route: string
  readonly researcher: string
  readonly part: string
  readonly parameter: string
  readonly outcome: Outcome
  readonly status: number
  readonly reason: string
  readonly rule: string
  readonly attempts: number
  readonly first_ms: number
  readonly last_ms: number
}

const ROWS_MAX = 20_000
const KEY = 'route, part, parameter, outcome, status, reason'

/** The most frequent first; `isPartial` where there were more. */
export async function attemptRows(
  store: Pick<TrafficStore, 'query'>,
  scope: Scope,
  attackClass: string,
): Promise<{ readonly rows: readonly AttemptRow[]; readonly isPartial: boolean }> {
  const parameters = new Parameters()
  const columns = [
    ...KEY.split(', '),
    ...['level', 'class', 'researcher_id', 'refusing_rule', 'requests', 'first_seen', 'last_seen'],
  ]
  const from = source(scope, 'coverage', columns, parameters)
  const rows = await store.query<AttemptRow>(
    `SELECT ${KEY}, toString(researcher_id) AS researcher, toString(refusing_rule) AS rule, sum(c.requests) AS attempts,
       toUnixTimestamp64Milli(min(c.first_seen)) AS first_ms, toUnixTimestamp64Milli(max(c.last_seen)) AS last_ms
     FROM ${from} AS c WHERE toString(level) = 'parameter' AND class = ${parameters.bind('String', attackClass)}
     GROUP BY ${KEY}, researcher, rule ORDER BY attempts DESC, ${KEY}, researcher, rule LIMIT ${ROWS_MAX + 1}`,
    parameters.values,
  )
  return { rows: rows.slice(0, ROWS_MAX), isPartial: rows.length > ROWS_MAX }
}
