/** What one researcher did, in order: requests to the same route that follow one another are one step, and what was looked for in vain is one. */
import { SEVERITIES, type Step, VERDICT_WORDS } from '@sallyport/contract'
import type { TrafficStore } from '../../../../traffic-store/connection.ts'
import { ATTEMPTED_CLASSES, COUNTING_HITS, VERDICT_COUNTS } from '../coverage/covered-columns.ts'
import { Parameters, requestsOf, type Scope } from '../predicate.ts'
import { byCount, type SummedNames, VERDICT_SUMS, type VerdictRow, verdictsOf } from './class-counts.ts'

/** Requests that are read and sorted for one answer: with paths and routes as long as they get, what memory takes. */
const REQUESTS_MAX = 50_000
/** Of a path that is shown: with 50,000 of 8,000 characters, no step of that time could be read. */
const PATH_CHARS_MAX = 1_000
const CLASSES_MAX = 50
const STATUSES_MAX = 20

/** The last request of a page of steps. No two requests share it. */
export interface StepPosition {
  readonly time: number
  readonly id: string
}

export interface StepPage {
  readonly steps: Step[]
  /** Where the steps go on; undefined where they do not. */
  readonly next: StepPosition | undefined
}

interface Row extends VerdictRow {
  readonly site: string
  readonly method: string
  readonly route: string
  readonly first_path: string
  readonly start_ms: number
  readonly end_ms: number
  readonly last_id: string
  readonly events: number
  readonly requests: number
  readonly routes: number
  readonly paths: number
  readonly targets: number
  readonly payloads: number
  readonly statuses: SummedNames
  readonly attempts: number
  readonly classes: SummedNames
  readonly severity: number
}

/**
 * The first steps of a scope, at most `limit`, after a position. Texts are hashed and cut before requests are sorted, not after, which the
 * planner would prefer: whole ones do not fit in memory.
 */
export async function steps(
  store: Pick<TrafficStore, 'query'>,
  scope: Scope,
  limit: number,
  after?: StepPosition,
): Promise<StepPage> {
  const parameters = new Parameters()
  const rows = await store.query<Row>(
    `SELECT site, any(sent_method) AS method, any(sent_route) AS route, argMin(sent_path, (at_ms, request)) AS first_path,
       min(at_ms) AS start_ms, max(at_ms) AS end_ms, toString(argMax(request, (at_ms, request))) AS last_id, count() AS events,
       sum(sent) AS requests, uniqExact(place) AS routes, uniqExact(path_hash) AS paths, uniqExact(target_hash) AS targets, uniqExactIf(excerpts, notEmpty(excerpts)) AS payloads,
       sumMap([answered], [sent]) AS statuses, sumIf(sent, notEmpty(tried)) AS attempts,
       sumMap(tried, arrayMap(class -> sent, tried)) AS classes, max(worst) AS severity, ${VERDICT_SUMS}
     FROM (${numbered(scope, parameters, after)}) AS c
     GROUP BY step, site ORDER BY step LIMIT ${limit + 1} SETTINGS query_plan_execute_functions_after_sorting = 0`,
    parameters.values,
  )
  const shown = rows.slice(0, limit)
  const last = shown.at(-1)
  const read = shown.reduce((sum, { events }) => sum + events, 0)
  const hasMore = rows.length > limit || read >= REQUESTS_MAX
  return {
    steps: shown.map(toStep),
    next: hasMore && last ? { time: last.end_ms, id: last.last_id } : undefined,
  }
}

/**
 * A row for each request, with the number of its step: of its run to one route; and of several such runs, where nothing was to be found in any of
 * them, as when a list of words is tried as paths.
 */
function numbered(scope: Scope, parameters: Parameters, after: StepPosition | undefined): string {
  const inOrder = 'ORDER BY at_ms, request ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW'
  const changes = (place: string, from: string, number: string) =>
    `SELECT *, sum(begins_${number}) OVER (${inOrder}) AS ${number} FROM (
      SELECT *, ${place} != lagInFrame(${place}) OVER (${inOrder}) AS begins_${number} FROM (${from}))`
  const runs = changes('place', requests(scope, parameters, after), 'run')
  const places = `SELECT *, if(min(is_nowhere) OVER (PARTITION BY run) = 1, sipHash64(site, sent_method), run) AS run_place FROM (${runs})`
  return changes('run_place', places, 'step')
}

function requests(scope: Scope, parameters: Parameters, after: StepPosition | undefined): string {
  const { bind } = parameters
  const conditions = ["kind != 'websocket_close'"]
  if (after)
    conditions.push(
      `(requests.time, requests.id) > (fromUnixTimestamp64Milli(${bind('Int64', after.time)}, 'UTC'), toUUID(${bind('String', after.id)}))`,
    )
  const verdicts = VERDICT_WORDS.map((word) => `${VERDICT_COUNTS[word]} AS ${word}`)
  return `SELECT toUnixTimestamp64Milli(time) AS at_ms, requests.id AS request, toString(site_id) AS site, toString(method) AS sent_method,
      toString(route) AS sent_route, sipHash64(site, sent_method, sent_route) AS place, leftUTF8(path, ${PATH_CHARS_MAX}) AS sent_path,
      sipHash64(path) AS path_hash, sipHash64(target) AS target_hash,
      request_count AS sent, toString(status) AS answered, ${ATTEMPTED_CLASSES} AS tried,
      toUInt8(outcome = 'origin' AND status = 404 AND empty(tried)) AS is_nowhere,
      arraySort(arrayDistinct(arrayMap(hit -> hit_excerpts[hit], ${COUNTING_HITS}))) AS excerpts,
      arrayMax(arrayPushFront(arrayMap(hit -> toInt8(hit_severities[hit]), ${COUNTING_HITS}), toInt8(0))) AS worst, ${verdicts.join(', ')}
    FROM ${requestsOf(scope, parameters, conditions)} ORDER BY requests.time, requests.id LIMIT ${REQUESTS_MAX}`
}

const toStep = (row: Row): Step => ({
  site: row.site,
  method: row.method,
  route: row.routes === 1 ? row.route : '',
  path: row.first_path,
  start: new Date(row.start_ms).toISOString(),
  end: new Date(row.end_ms).toISOString(),
  requests: row.requests,
  routes: row.routes,
  paths: row.paths,
  targets: row.targets,
  payloads: row.payloads,
  statuses: byCount(row.statuses, STATUSES_MAX).map(([status, count]) => ({
    status: Number(status),
    requests: count,
  })),
  attempts: row.attempts,
  attacks: byCount(row.classes, CLASSES_MAX).map(([name, attempts]) => ({ class: name, attempts })),
  severity: SEVERITIES[row.severity - 1] ?? null,
  verdicts: verdictsOf(row),
})
