/** Attempts by the place of the hit and what became of them: of all classes by parameter, or of one class by researcher. */
import type { TrafficStore } from '../../../../traffic-store/connection.ts'
import type { Recorded, RecordedAttempts } from '../../../../traffic-store/rows/recorded-coverage.ts'
import { Parameters, type Scope, source } from '../predicate.ts'

const ROWS_MAX = 100_000
const RESEARCHERS_MAX = 100
const KEY = 'route, method, class, part, parameter, outcome, status, reason'

/** The attempts of all classes by parameter, whichever rule refused, the most frequent first; `isPartial` where there were more. */
export const attemptRows = (
  store: Pick<TrafficStore, 'query'>,
  scope: Scope,
): Promise<Recorded<RecordedAttempts>> => read(store, scope, undefined)

/** The attempts of one class, each row of one researcher and refusing rule. */
export const attemptsOfClass = (
  store: Pick<TrafficStore, 'query'>,
  scope: Scope,
  attackClass: string,
): Promise<Recorded<RecordedAttempts>> => read(store, scope, attackClass)

async function read(
  store: Pick<TrafficStore, 'query'>,
  scope: Scope,
  attackClass: string | undefined,
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
  const where = attackClass === undefined ? '' : `WHERE class = ${parameters.bind('String', attackClass)}`
  const by = attackClass === undefined ? KEY : `${KEY}, rule, researcher_id`
  const rows = await store.query<RecordedAttempts>(
    `SELECT ${KEY}, ${attackClass === undefined ? "''" : 'toString(refusing_rule)'} AS rule, sum(c.attempts) AS attempts,
       groupUniqArrayIf(${RESEARCHERS_MAX})(researcher_id, researcher_id != '') AS researchers,
       toUnixTimestamp64Milli(min(c.first_seen)) AS first_ms, toUnixTimestamp64Milli(max(c.last_seen)) AS last_ms
     FROM ${from} AS c ${where} GROUP BY ${by} ORDER BY attempts DESC, ${by} LIMIT ${ROWS_MAX + 1}`,
    parameters.values,
  )
  return { rows: rows.slice(0, ROWS_MAX), isPartial: rows.length > ROWS_MAX }
}
