/** SQL of the recorded requests of a site, as far as a definition can be asked about them. */
import type { TrafficStore } from '../../../traffic-store/connection.ts'

export interface RecordedPath {
  readonly method: string
  readonly path: string
  readonly requests: number
}

/** So many kinds are asked about, those that most requests are of. */
const PATHS_MAX = 20_000

/** The methods and paths of what reached the origin since an instant, each with how often. */
export const readRecordedPaths = (
  store: Pick<TrafficStore, 'query'>,
  { orgId, id }: { readonly orgId: string; readonly id: string },
  sinceMs: number,
): Promise<RecordedPath[]> =>
  store.query<RecordedPath>(
    `SELECT toString(method) AS method, toString(path) AS path, toFloat64(sum(request_count)) AS requests
     FROM requests
     WHERE org_id = {orgId:String} AND site_id = {siteId:String} AND outcome = 'origin' AND kind != 'websocket_close'
       AND time >= fromUnixTimestamp64Milli({since:Int64}, 'UTC')
     GROUP BY method, path ORDER BY requests DESC, path, method LIMIT ${PATHS_MAX}`,
    { orgId, siteId: id, since: Math.floor(sinceMs) },
  )
