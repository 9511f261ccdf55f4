/** Attempts of one class by the place of the hit, what became of them, and who made them. */
import type { TrafficStore } from '../../../../traffic-store/connection.ts'
import type { Recorded, RecordedAttempts } from '../../../../traffic-store/rows/recorded-coverage.ts'
import { Parameters, type Scope, source } from '../predicate.ts'

const ROWS_MAX = 100_000
const KEY = 'route, method, class, part, parameter, outcome, status, reason'

/** The attempts of one class, each row of one researcher and refusing rule, the most frequent first. */
export async function attemptsOfClass(
  store: Pick<TrafficStore, 'query'>,
  scope: Scope,
  attackClass: string,
): Promise<Recorded<RecordedAttempts>> {
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
  const rows = await store.query<RecordedAttempts>(
    `SELECT ${KEY}, toString(refusing_rule) AS rule, sum(c.attempts) AS attempts,
       if(researcher_id = '', [], [toString(researcher_id)]) AS researchers,
       toUnixTimestamp64Milli(min(c.first_seen)) AS first_ms, toUnixTimestamp64Milli(max(c.last_seen)) AS last_ms
     FROM ${from} AS c WHERE class = ${parameters.bind('String', attackClass)}
     GROUP BY ${KEY}, rule, researcher_id ORDER BY attempts DESC, ${KEY}, rule, researcher_id LIMIT ${ROWS_MAX + 1}`,
    parameters.values,
  )
  return { rows: rows.slice(0, ROWS_MAX), isPartial: rows.length > ROWS_MAX }
}
