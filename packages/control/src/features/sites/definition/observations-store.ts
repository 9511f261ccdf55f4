/** SQL of what the recorded traffic of a site teaches. */
import type { TrafficStore } from '../../../traffic-store/connection.ts'

/** The site whose API is learned. */
export interface LearnedSite {
  readonly orgId: string
  readonly id: string
}

/** What one researcher alone sent, of each place such as answers or parameters: nobody's flood leaves others out. */
const ROWS_OF_ONE_MAX = 4_000
/** What several sent has so many times the room. */
const SHARES_OF_SEVERAL = 5
/** Altogether, so that what is read is bounded however many researchers there are. */
const ROWS_MAX = 150_000

/**
 * The observations since `sinceMs`, each a line with a JSON array: place, method, shape, name, type, requests, covered requests, requests of each
 * researcher, answers of each class of sizes, times of the first and the last one in milliseconds. Controls come first, then answers,
 * each time what most researchers and requests stand behind.
 */
export const readObservations = (
  store: Pick<TrafficStore, 'readLines'>,
  { orgId, id }: LearnedSite,
  sinceMs: number,
): Promise<Buffer> =>
  store.readLines(
    `SELECT place, method, shape, name, type, toFloat64(sum(o.requests)), toFloat64(sum(o.covered)),
       sumMap(o.researchers) AS by_researcher, sumMap(o.sizes),
       toFloat64(toUnixTimestamp64Milli(min(o.first_seen))), toFloat64(toUnixTimestamp64Milli(max(o.last_seen)))
     FROM api_observations AS o
     WHERE org_id = {orgId:String} AND site_id = {siteId:String} AND time >= toDateTime({since:UInt32}, 'UTC')
     GROUP BY place, method, shape, name, type
     ORDER BY place, length(by_researcher) DESC, sum(o.requests) DESC, shape, method, name, type
     LIMIT ${ROWS_OF_ONE_MAX} BY place, if(length(by_researcher) <= 1, mapKeys(by_researcher)[1], toString(cityHash64(shape) % ${SHARES_OF_SEVERAL}))
     LIMIT ${ROWS_MAX}
     SETTINGS max_memory_usage = 700000000, max_bytes_before_external_group_by = 200000000, max_bytes_before_external_sort = 200000000`,
    { orgId, siteId: id, since: Math.floor(sinceMs / 1000) },
  )
