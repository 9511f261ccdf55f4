/** Counts behind the situation of an organization, each by one query of rollups, however many sites and researchers there are. */
import type { TrafficStore } from '../../../traffic-store/connection.ts'
import type {
  RecordedBucket,
  RecordedErrors,
  RecordedLimit,
  RecordedRule,
  RecordedSender,
  RecordedSite,
} from '../../../traffic-store/rows/recorded-situation.ts'
import { OUTCOME_COLUMNS, type OutcomeRow, outcomesOf } from '../query/outcomes.ts'
import { countByBucket, Parameters, type Scope, source } from './predicate.ts'
import { type CountedOutcome, outcomeBuckets } from './timeline.ts'

type Store = Pick<TrafficStore, 'query'>

const SERVER_ERRORS = "sumIf(requests, outcome = 'origin' AND status_class = 5) AS server_errors"

/** When the newest request of the scope came, milliseconds since the epoch; null for none. */
export async function newestRequest(store: Store, scope: Scope): Promise<number | null> {
  const parameters = new Parameters()
  const [row] = await store.query<{ last_ms: number; found: number }>(
    `SELECT toUnixTimestamp64Milli(max(last_seen)) AS last_ms, count() AS found
     FROM ${source(scope, 'traffic', ['last_seen'], parameters)}`,
    parameters.values,
  )
  return row && row.found > 0 ? row.last_ms : null
}

/** Counts for every bucket, zeros included. `startsMs` are the starts of the buckets, as `bucketStarts` makes them. */
export async function situationBuckets(
  store: TrafficStore,
  scope: Scope,
  startsMs: readonly number[],
): Promise<RecordedBucket[]> {
  const rows = await countByBucket<CountedOutcome & { server_errors: number }>(store, scope, startsMs, {
    family: 'traffic',
    columns: ['outcome', 'status_class', 'requests'],
    select: `outcome, sum(requests) AS counted, ${SERVER_ERRORS}`,
    groupBy: 'outcome',
  })
  const serverErrors = startsMs.map(() => 0)
  for (const { bucket, server_errors } of rows)
    serverErrors[bucket] = (serverErrors[bucket] ?? 0) + server_errors
  return outcomeBuckets(startsMs, rows).map((bucket, index) => ({
    ...bucket,
    serverErrors: serverErrors[index] ?? 0,
  }))
}

/** Every site that had a request, the busiest first. */
export async function countsBySite(store: Store, scope: Scope): Promise<RecordedSite[]> {
  const parameters = new Parameters()
  const columns = ['site_id', 'outcome', 'status_class', 'requests']
  const rows = await store.query<OutcomeRow & { site: string; total: number; server_errors: number }>(
    `SELECT toString(site_id) AS site, sum(requests) AS total, ${OUTCOME_COLUMNS}, ${SERVER_ERRORS}
     FROM ${source(scope, 'traffic', columns, parameters)} GROUP BY site ORDER BY total DESC, site`,
    parameters.values,
  )
  return rows.map((row) => ({
    siteId: row.site,
    total: row.total,
    outcomes: outcomesOf(row),
    serverErrors: row.server_errors,
  }))
}

/** Who sent most, and how many researchers sent any. */
export async function busiestSenders(
  store: Store,
  scope: Scope,
  limit: number,
): Promise<{
  readonly senders: readonly Omit<RecordedSender, 'scanners'>[]
  readonly researchers: number
}> {
  const parameters = new Parameters()
  const from = source(scope, 'activity', ['researcher_id', 'requests'], parameters)
  const rows = await store.query<{ researcher: string; sent: number; researchers: number }>(
    `SELECT researcher, sent, countIf(researcher != '') OVER () AS researchers
     FROM (SELECT toString(researcher_id) AS researcher, sum(requests) AS sent FROM ${from} GROUP BY researcher)
     ORDER BY sent DESC, researcher LIMIT ${limit}`,
    parameters.values,
  )
  return {
    senders: rows.map(({ researcher, sent }) => ({ researcherId: researcher, requests: sent })),
    researchers: rows[0]?.researchers ?? 0,
  }
}

/** How many requests scanners sent, by what they say of themselves or by what they do; by researcher, strangers under an empty id. */
export async function scannerRequests(store: Store, scope: Scope): Promise<ReadonlyMap<string, number>> {
  const parameters = new Parameters()
  const rows = await store.query<{ researcher: string; sent: number }>(
    `SELECT toString(researcher_id) AS researcher, sum(requests) AS sent
     FROM ${source(scope, 'scanners', ['researcher_id', 'requests'], parameters)} GROUP BY researcher HAVING sent > 0`,
    parameters.values,
  )
  return new Map(rows.map(({ researcher, sent }) => [researcher, sent]))
}

/** Rate limits that refused, by site, and rules of the firewall that matched, the most frequent of each first. */
export async function situationRules(
  store: Store,
  scope: Scope,
  max: { readonly limits: number; readonly rules: number },
): Promise<{ readonly limits: readonly RecordedLimit[]; readonly rules: readonly RecordedRule[] }> {
  const parameters = new Parameters()
  const columns = [
    'rule_kind',
    'rule_name',
    'class',
    'site_id',
    'researcher_id',
    'excluded',
    'hits',
    'refused',
    'last_seen',
  ]
  const rows = await store.query<{
    kind: string
    rule: string
    rule_class: string
    site: string
    total: number
    researchers: number
    researcher: string
    last_ms: number
  }>(
    `WITH c AS (SELECT toString(rule_kind) AS kind, toString(rule_name) AS rule, if(rule_kind = 'limit', toString(site_id), '') AS site,
         toString(researcher_id) AS researcher, any(toString(class)) AS rule_class,
         if(kind = 'limit', sum(refused), sumIf(hits, NOT excluded)) AS n, max(last_seen) AS last
       FROM ${source(scope, 'rules', columns, parameters)} WHERE rule_kind IN ('limit', 'firewall')
       GROUP BY kind, rule, site, researcher)
     SELECT kind, rule, any(c.rule_class) AS rule_class, site, sum(n) AS total, uniqExactIf(c.researcher, c.researcher != '') AS researchers,
       argMax(c.researcher, n) AS researcher, toUnixTimestamp64Milli(max(last)) AS last_ms
     FROM c GROUP BY kind, rule, site HAVING total > 0
     ORDER BY total DESC, rule, site LIMIT ${Math.max(max.limits, max.rules)} BY kind`,
    parameters.values,
  )
  const of = (kind: string) => rows.filter((row) => row.kind === kind)
  return {
    limits: of('limit')
      .slice(0, max.limits)
      .map(({ site, rule, total, researchers, researcher, last_ms }) => ({
        siteId: site,
        policy: rule,
        refused: total,
        researchers,
        researcherId: researcher,
        lastMs: last_ms,
      })),
    rules: of('firewall')
      .slice(0, max.rules)
      .map(({ rule, rule_class, total }) => ({ rule, class: rule_class, hits: total })),
  }
}

/** Where the origin answered 5xx to requests with a hit, by site, route and class of attack; the most frequent first. */
export async function errorsAfterHits(store: Store, scope: Scope, limit: number): Promise<RecordedErrors[]> {
  const parameters = new Parameters()
  const counted = source(
    scope,
    'coverage',
    ['level', 'site_id', 'route', 'class', 'server_error'],
    parameters,
  )
  const columns = [
    'site_id',
    'route',
    'class',
    'researcher_id',
    'outcome',
    'status',
    'first_seen',
    'last_seen',
  ]
  const attempted = source(scope, 'attempts', columns, parameters)
  const key = 'toString(site_id) AS site, toString(route) AS path, toString(class) AS attack'
  const rows = await store.query<{
    site: string
    path: string
    attack: string
    total: number
    statuses: number[]
    senders: string[]
    researchers: number
    first_ms: number
    last_ms: number
  }>(
    `SELECT site, path, attack, sum(n) AS total, arrayFilter(one -> one != 0, groupUniqArray(status)) AS statuses,
       groupUniqArrayIf(2)(sender, sender != '') AS senders, uniqExactIf(sender, sender != '') AS researchers,
       toUnixTimestamp64Milli(minIf(first, status != 0)) AS first_ms, toUnixTimestamp64Milli(maxIf(last, status != 0)) AS last_ms
     FROM (
       SELECT ${key}, server_error AS n, toUInt16(0) AS status, '' AS sender, toDateTime64(0, 3, 'UTC') AS first, toDateTime64(0, 3, 'UTC') AS last
       FROM ${counted} WHERE level = 'class' AND server_error > 0
       UNION ALL
       SELECT ${key}, 0 AS n, status, toString(researcher_id) AS sender, first_seen AS first, last_seen AS last
       FROM ${attempted} WHERE outcome = 'origin' AND status >= 500
     ) GROUP BY site, path, attack HAVING total > 0 AND length(statuses) > 0 ORDER BY total DESC, site, path, attack LIMIT ${limit}`,
    parameters.values,
  )
  return rows.map((row) => ({
    siteId: row.site,
    route: row.path,
    class: row.attack,
    requests: row.total,
    status: row.statuses.length === 1 ? (row.statuses[0] ?? null) : null,
    researchers: row.researchers,
    researcherId: row.researchers === 1 ? (row.senders[0] ?? '') : '',
    firstMs: row.first_ms,
    lastMs: row.last_ms,
  }))
}
