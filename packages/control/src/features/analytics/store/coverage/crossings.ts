/** Paths that several researchers were answered 2xx on. */
import type { TrafficStore } from '../../../../traffic-store/connection.ts'
import type { Recorded, RecordedCrossing } from '../../../../traffic-store/rows/recorded-coverage.ts'
import { Parameters, requestsOf, type Scope } from '../predicate.ts'

const ROWS_MAX = 20_000
const RESEARCHERS_MAX = 100
const REACHED = [
  "outcome = 'origin'",
  'status BETWEEN 200 AND 299',
  "researcher_id != ''",
  "kind != 'websocket_close'",
]

/** Those that most researchers reached first. */
export async function crossedPaths(
  store: Pick<TrafficStore, 'query'>,
  scope: Scope,
): Promise<Recorded<RecordedCrossing>> {
  const parameters = new Parameters()
  const rows = await store.query<RecordedCrossing>(
    `SELECT method, path, any(route) AS route, arraySort(groupUniqArray(${RESEARCHERS_MAX})(researcher_id)) AS researchers,
       sum(request_count) AS requests, toUnixTimestamp64Milli(max(time)) AS last_ms
     FROM ${requestsOf(scope, parameters, REACHED)}
     GROUP BY method, path HAVING length(researchers) > 1
     ORDER BY length(researchers) DESC, requests DESC, method, path LIMIT ${ROWS_MAX + 1}`,
    parameters.values,
  )
  return { rows: rows.slice(0, ROWS_MAX), isPartial: rows.length > ROWS_MAX }
}
