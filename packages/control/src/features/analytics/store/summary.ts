/** Traffic by URL: a gated host and a route. */
import { randomBytes } from 'node:crypto'
import type { TrafficStore } from '../../../traffic-store/connection.ts'
import { OUTCOME_COLUMNS, type OutcomeCounts, type OutcomeRow, outcomesOf } from '../query/outcomes.ts'
import { Parameters, type Scope, source } from './predicate.ts'

export interface UrlSummary {
  readonly url: string
  readonly siteId: string
  readonly requests: number
  readonly outcomes: OutcomeCounts
  readonly statuses: Readonly<Record<'1xx' | '2xx' | '3xx' | '4xx' | '5xx' | 'none', number>>
  readonly requestBytes: number
  readonly responseBytes: number
  /** Durations in milliseconds, right to within 5 %. */
  readonly p50: number
  readonly p95: number
  readonly p99: number
  readonly hackers: number
  readonly firewallHits: number
  readonly lastSeen: string
}

/** A URL, or a URL prefix, to keep: any of the hosts, then a prefix of the route. */
export interface UrlFilter {
  readonly siteIds: readonly string[]
  readonly hosts: readonly string[]
  readonly routePrefix: string
}

/** The URLs with most requests are answered, this many at most. */
const SUMMARY_ROWS_MAX = 1_000

interface Row extends OutcomeRow {
  readonly url_site: string
  readonly url_host: string
  readonly url_route: string
  readonly total: number
  readonly s1: number
  readonly s2: number
  readonly s3: number
  readonly s4: number
  readonly s5: number
  readonly s0: number
  readonly sent: number
  readonly received: number
  readonly hits_total: number
  readonly hackers: number
  readonly last_ms: number
  /** Buckets of the histogram of durations. */
  readonly quantiles: readonly [number, number, number]
}

/**
 * The URL of a row as one number, which groups rows in a third of the time that its three strings take: each is hashed
 * once for each value in the dictionary of its column. The key is made up at each start, so that nobody who chooses
 * routes can make two of them collide.
 */
const HASH_KEY = `(${randomBytes(8).readBigUInt64BE()}, ${randomBytes(8).readBigUInt64BE()})`
const URL_KEY = `${hashOf('site_id')} * 3 + ${hashOf('host')} * 5 + ${hashOf('route')}`
const URL_COLUMNS = 'any(site_id) AS url_site, any(host) AS url_host, any(route) AS url_route'

function hashOf(column: string): string {
  return `sipHash64Keyed(${HASH_KEY}, ${column})`
}

export async function summary(
  store: TrafficStore,
  scope: Scope,
  urls: readonly UrlFilter[],
): Promise<UrlSummary[]> {
  const parameters = new Parameters()
  const columns = [
    'site_id',
    'host',
    'route',
    'outcome',
    'status_class',
    'requests',
    'hits',
    'request_bytes',
    'response_bytes',
    'last_seen',
    'researchers',
    'durations',
  ]
  // Quantiles are made of the histograms of those URLs only that are answered.
  const rows = await store.query<Row>(
    `SELECT * EXCEPT histogram, arrayReduce('quantilesExactWeighted(0.5, 0.95, 0.99)', mapKeys(histogram), mapValues(histogram)) AS quantiles
     FROM (SELECT ${URL_COLUMNS}, sum(requests) AS total, ${OUTCOME_COLUMNS},
       ${[0, 1, 2, 3, 4, 5].map((digit) => `sumIf(requests, ${statusCondition(digit)}) AS s${digit}`).join(', ')},
       sum(request_bytes) AS sent, sum(response_bytes) AS received, sum(hits) AS hits_total,
       uniqExactArray(researchers) AS hackers, toUnixTimestamp64Milli(max(last_seen)) AS last_ms,
       sumMap(durations) AS histogram
     FROM ${source(scope, 'urls', columns, parameters)}
     WHERE ${urlCondition(urls, parameters)}
     GROUP BY ${URL_KEY} ORDER BY total DESC, url_host, url_route LIMIT ${SUMMARY_ROWS_MAX})
     ORDER BY total DESC, url_host, url_route`,
    parameters.values,
  )
  return rows.map(toSummary)
}

/** Status classes 1 to 5; everything else, such as no answer at all, counts as none. */
const statusCondition = (digit: number): string =>
  digit === 0 ? 'status_class NOT IN (1, 2, 3, 4, 5)' : `status_class = ${digit}`

function urlCondition(urls: readonly UrlFilter[], { bind }: Parameters): string {
  if (urls.length === 0) return '1'
  const one = (url: UrlFilter): string => {
    const hosts = bind('Array(String)', url.hosts)
    const sites = bind('Array(String)', url.siteIds)
    const route = url.routePrefix === '' ? '1' : `startsWith(route, ${bind('String', url.routePrefix)})`
    return `((host IN ${hosts} OR site_id IN ${sites}) AND ${route})`
  }
  return `(${urls.map(one).join(' OR ')})`
}

function toSummary(row: Row): UrlSummary {
  return {
    url: row.url_host + row.url_route,
    siteId: row.url_site,
    requests: row.total,
    outcomes: outcomesOf(row),
    statuses: { '1xx': row.s1, '2xx': row.s2, '3xx': row.s3, '4xx': row.s4, '5xx': row.s5, none: row.s0 },
    requestBytes: row.sent,
    responseBytes: row.received,
    p50: milliseconds(row.quantiles[0]),
    p95: milliseconds(row.quantiles[1]),
    p99: milliseconds(row.quantiles[2]),
    hackers: row.hackers,
    firewallHits: row.hits_total,
    lastSeen: new Date(row.last_ms).toISOString(),
  }
}

/** The middle of a histogram bucket, rounded to microseconds. */
const milliseconds = (bucket: number): number => Math.round(2 ** (bucket / 8)) / 1000
