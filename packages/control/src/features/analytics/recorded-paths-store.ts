/** What was asked of a site's origin, as far as its API definition can be asked about it. */
import type { TrafficStore } from '../../traffic-store/connection.ts'
import { Parameters, requestsOf } from './store/predicate.ts'

/** So many kinds are asked about, those that most requests are of. */
const PATHS_MAX = 20_000

/** The methods and paths of what reached the origin of a site since an instant, each with how often. */
export function recordedPaths(
  store: Pick<TrafficStore, 'query'>,
  { orgId, siteId }: { readonly orgId: string; readonly siteId: string },
  from: number,
): Promise<{ readonly method: string; readonly path: string; readonly requests: number }[]> {
  const parameters = new Parameters()
  const scope = { orgId, from, to: Infinity, filter: { site: [siteId] } }
  return store.query(
    `SELECT toString(method) AS method, toString(path) AS path, toFloat64(sum(request_count)) AS requests
     FROM ${requestsOf(scope, parameters, ["outcome = 'origin'", "kind != 'websocket_close'"])}
     GROUP BY method, path ORDER BY requests DESC, path, method LIMIT ${PATHS_MAX}`,
    parameters.values,
  )
}
