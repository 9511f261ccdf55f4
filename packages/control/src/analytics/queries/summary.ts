/** Traffic by URL: a gated host and a route. */
import type { TrafficStore } from '../connection.ts'
import { Parameters, type Scope, source } from '../predicate.ts'
import { OUTCOME_COLUMNS, type OutcomeCounts, type OutcomeRow, outcomesOf } from './outcomes.ts'

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
export const SUMMARY_ROWS_MAX = 1_000

interface CountRow extends OutcomeRow {
  readonly site_id: string
  readonly host: string
  readonly route: string
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
}

interface LatencyRow {
  readonly site_id: string
  readonly host: string
  readonly route: string
  readonly quantiles: readonly [number, number, number]
}

export async function summary(
  store: TrafficStore,
  scope: Scope,
  urls: readonly UrlFilter[],
): Promise<UrlSummary[]> {
  const [counts, latencies] = await Promise.all([
    readCounts(store, scope, urls),
    readLatencies(store, scope, urls),
  ])
  const quantiles = new Map(latencies.map((row) => [keyOf(row), row.quantiles]))
  return counts.map((row) => toSummary(row, quantiles.get(keyOf(row)) ?? [0, 0, 0]))
}

const keyOf = (row: Pick<LatencyRow, 'site_id' | 'host' | 'route'>): string =>
  JSON.stringify([row.site_id, row.host, row.route])

function readCounts(store: TrafficStore, scope: Scope, urls: readonly UrlFilter[]): Promise<CountRow[]> {
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
  ]
  return store.query<CountRow>(
    `SELECT site_id, host, route, sum(requests) AS total, ${OUTCOME_COLUMNS},
       ${[0, 1, 2, 3, 4, 5].map((digit) => `sumIf(requests, ${statusCondition(digit)}) AS s${digit}`).join(', ')},
       sum(request_bytes) AS sent, sum(response_bytes) AS received, sum(hits) AS hits_total,
       uniqExactArray(researchers) AS hackers, toUnixTimestamp64Milli(max(last_seen)) AS last_ms
     FROM ${source(scope, 'routes', columns, parameters)}
     WHERE ${urlCondition(urls, parameters)}
     GROUP BY site_id, host, route ORDER BY total DESC, host, route LIMIT ${SUMMARY_ROWS_MAX}`,
    parameters.values,
  )
}

/** Status classes 1 to 5; everything else, such as no answer at all, counts as none. */
const statusCondition = (digit: number): string =>
  digit === 0 ? 'status_class NOT IN (1, 2, 3, 4, 5)' : `status_class = ${digit}`

function readLatencies(store: TrafficStore, scope: Scope, urls: readonly UrlFilter[]): Promise<LatencyRow[]> {
  const parameters = new Parameters()
  const columns = ['site_id', 'host', 'route', 'bucket', 'requests']
  return store.query<LatencyRow>(
    `SELECT site_id, host, route, quantilesExactWeighted(0.5, 0.95, 0.99)(bucket, requests) AS quantiles
     FROM ${source(scope, 'latency', columns, parameters)}
     WHERE ${urlCondition(urls, parameters)}
     GROUP BY site_id, host, route ORDER BY sum(requests) DESC LIMIT ${SUMMARY_ROWS_MAX * 2}`,
    parameters.values,
  )
}

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

function toSummary(row: CountRow, quantiles: readonly [number, number, number]): UrlSummary {
  return {
    url: row.host + row.route,
    siteId: row.site_id,
    requests: row.total,
    outcomes: outcomesOf(row),
    statuses: { '1xx': row.s1, '2xx': row.s2, '3xx': row.s3, '4xx': row.s4, '5xx': row.s5, none: row.s0 },
    requestBytes: row.sent,
    responseBytes: row.received,
    p50: milliseconds(quantiles[0]),
    p95: milliseconds(quantiles[1]),
    p99: milliseconds(quantiles[2]),
    hackers: row.hackers,
    firewallHits: row.hits_total,
    lastSeen: new Date(row.last_ms).toISOString(),
  }
}

/** The middle of a histogram bucket, rounded to microseconds. */
const milliseconds = (bucket: number): number => Math.round(2 ** (bucket / 8)) / 1000
