/** Attempts of one class by the place of the hit, what became of them, and who made them. */
import type { Outcome } from '@sallyport/contract'
import type { TrafficStore } from '../../../../traffic-store/connection.ts'
import { Parameters, type Scope, source } from '../predicate.ts'

/** Attempts that are alike in all of this. Times are milliseconds since the epoch. */
export interface AttemptRow {
  readonly route: string
  readonly method: string
  readonly class: string
  readonly part: string
  readonly parameter: string
  readonly outcome: Outcome
  readonly status: number
  readonly reason: string
  readonly rule: string
  readonly attempts: number
  /** Who made them: one, or none of strangers. */
  readonly researchers: readonly string[]
  readonly first_ms: number
  readonly last_ms: number
}

export interface AttemptRows {
  readonly rows: readonly AttemptRow[]
  readonly isPartial: boolean
}

const ROWS_MAX = 100_000
const KEY = 'route, method, class, part, parameter, outcome, status, reason'

/** The attempts of one class, each row of one researcher and refusing rule, the most frequent first. */
export async function attemptsOfClass(
  store: Pick<TrafficStore, 'query'>,
  scope: Scope,
  attackClass: string,
): Promise<AttemptRows> {
  const parameters = new Parameters()
  const columns = [
    ...KEY.split(', '),
    'researcher_id',
    'refusing_rule',
    'attempts',
    'first_seen',
    'last_seen',
  ]
  const from = source(scope, 'attempts', columns, parameters)
  const rows = await store.query<AttemptRow>(
    `SELECT ${KEY}, toString(refusing_rule) AS rule, sum(c.attempts) AS attempts,
       if(researcher_id = '', [], [toString(researcher_id)]) AS researchers,
       toUnixTimestamp64Milli(min(c.first_seen)) AS first_ms, toUnixTimestamp64Milli(max(c.last_seen)) AS last_ms
     FROM ${from} AS c WHERE class = ${parameters.bind('String', attackClass)}
     GROUP BY ${KEY}, rule, researcher_id ORDER BY attempts DESC, ${KEY}, rule, researcher_id LIMIT ${ROWS_MAX + 1}`,
    parameters.values,
  )
  return { rows: rows.slice(0, ROWS_MAX), isPartial: rows.length > ROWS_MAX }
}
