/**
 * The recorded requests that a preview judges, read in pieces, each of them bounded. SQL only narrows what is read: what would be
 * refused is decided by the rules that the gateway judges by.
 */
import { ORIGIN_REASONS, type TrafficEvent } from '@sallyport/contract'
import type { TrafficStore } from '../../../traffic-store/connection.ts'
import { eventOf, READ_COLUMNS, type RequestRow } from '../../../traffic-store/request-columns.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../query/time-segments.ts'
import { Parameters, requestsOf, type Scope } from '../store/predicate.ts'

/** What is judged of a request. */
export interface JudgedRow {
  readonly id: string
  readonly timeMs: number
  readonly researcherId: string
  /** It passed every stage of the gate. */
  readonly passed: 0 | 1
  /** The origin answered with 2xx or 3xx, and the firewall had nothing that counts. */
  readonly benign: 0 | 1
}
export interface TargetRow extends JudgedRow {
  readonly method: string
  readonly target: string
}
export interface InspectedRow extends TargetRow {
  readonly inspection: TrafficEvent['inspection']
  readonly rules: readonly string[]
  readonly classes: readonly string[]
  readonly parts: readonly string[]
  readonly parameters: readonly string[]
  readonly excluded: readonly boolean[]
  readonly scores: readonly number[]
}
export interface LimitedRow extends JudgedRow {
  readonly gatewayId: string
  readonly durationUs: number
}

/** Reasons of answers to requests that the gate had let through: the origin could not be asked, or somebody broke off. */
const REASONS_AFTER = [...ORIGIN_REASONS, 'client_aborted']
const PASSED = `(outcome IN ('origin', 'interrupted') OR outcome = 'gate' AND reason IN (${REASONS_AFTER.map((reason) => `'${reason}'`).join(', ')}))`
const BENIGN =
  "(outcome = 'origin' AND status >= 200 AND status < 400 AND countEqual(hit_excluded, false) = 0)"
/** An event that is a request: a WebSocket has another one when it closes. */
const IS_REQUEST = "kind != 'websocket_close'"

const COMMON = `toString(requests.id) AS id, toUnixTimestamp64Milli(requests.time) AS timeMs,
  toString(researcher_id) AS researcherId, ${PASSED} AS passed, ${BENIGN} AS benign`
const TARGET = 'toString(requests.method) AS method, requests.target AS target'

/** What to select of each request, and which. */
const READINGS = {
  target: { columns: `${COMMON}, ${TARGET}`, where: PASSED },
  inspected: {
    columns: `${COMMON}, ${TARGET}, toString(requests.inspection) AS inspection, CAST(hit_rules, 'Array(String)') AS rules,
      CAST(hit_classes, 'Array(String)') AS classes, CAST(hit_parts, 'Array(String)') AS parts,
      hit_parameters AS parameters, hit_excluded AS excluded, hit_scores AS scores`,
    where: PASSED,
  },
  /** Whatever came as far as the limit of the site, other than preflights, which have a pace of their own. */
  limited: {
    columns: `${COMMON}, toString(gateway_id) AS gatewayId, duration_us AS durationUs`,
    where: `researcher_id != '' AND (${PASSED} OR outcome IN ('limit', 'firewall'))`,
  },
} as const
interface Rows {
  readonly target: TargetRow
  readonly inspected: InspectedRow
  readonly limited: LimitedRow
}
export type RowKind = keyof Rows

/** Rows of a piece: of the longest targets there are, some 30 MiB. */
const PIECE_ROWS_MAX = 4_000

/** A stretch of the window whose requests were all read, [from, to). */
interface Piece<Row> {
  readonly rows: Row[]
  readonly from: number
  readonly to: number
}

/**
 * The requests of a scope in pieces of time, from its end backwards or from its start on; rows come in that order. A
 * stretch with more rows than a piece holds is read in shorter ones.
 */
export async function* readPieces<Kind extends RowKind>(
  store: TrafficStore,
  scope: Scope,
  reading: Kind,
  direction: 'older' | 'newer',
): AsyncGenerator<Piece<Rows[Kind]>> {
  const { columns, where } = READINGS[reading]
  const order = direction === 'older' ? 'DESC' : 'ASC'
  const read = (from: number, to: number, limit: number) => {
    const parameters = new Parameters()
    const source = requestsOf({ ...scope, from, to }, parameters, [IS_REQUEST, where])
    const sql = `SELECT ${columns} FROM ${source} ORDER BY requests.time ${order}, requests.id ${order}`
    return store.query<Rows[Kind]>(`${sql} LIMIT ${limit}`, parameters.values)
  }
  let { from, to } = scope
  let stretchMs = HOUR_MS
  while (from < to) {
    const piece =
      direction === 'older'
        ? { from: Math.max(from, to - stretchMs), to }
        : { from, to: Math.min(to, from + stretchMs) }
    const rows = await read(piece.from, piece.to, PIECE_ROWS_MAX + 1)
    const last = rows[PIECE_ROWS_MAX]
    if (last) {
      // Those of the millisecond in which it was cut are read again, all of them.
      const kept = rows.filter(({ timeMs }) => timeMs !== last.timeMs)
      const cut = direction === 'older' ? last.timeMs + 1 : last.timeMs
      if (kept.length > 0)
        yield direction === 'older'
          ? { rows: kept, from: cut, to: piece.to }
          : { rows: kept, from: piece.from, to: cut }
      else
        yield {
          rows: await read(last.timeMs, last.timeMs + 1, 50 * PIECE_ROWS_MAX),
          ...momentOf(last.timeMs),
        }
      const edge = kept.length > 0 ? cut : direction === 'older' ? last.timeMs : last.timeMs + 1
      if (direction === 'older') to = edge
      else from = edge
      stretchMs = Math.max(MINUTE_MS, stretchMs / 2)
      continue
    }
    yield { rows, ...piece }
    if (direction === 'older') to = piece.from
    else from = piece.to
    if (rows.length < PIECE_ROWS_MAX / 2) stretchMs = Math.min(7 * DAY_MS, stretchMs * 2)
  }
}

const momentOf = (time: number) => ({ from: time, to: time + 1 })

/** When the oldest of the newest `count` requests of a reading came; undefined where there are none. */
export async function startOfNewest(
  store: TrafficStore,
  scope: Scope,
  reading: RowKind,
  count: number,
): Promise<{ readonly time: number; readonly isAll: boolean } | undefined> {
  const parameters = new Parameters()
  const source = requestsOf(scope, parameters, [IS_REQUEST, READINGS[reading].where])
  const [row] = await store.query<{ timeMs: number; found: number }>(
    `SELECT toUnixTimestamp64Milli(min(begun)) AS timeMs, count() AS found
     FROM (SELECT requests.time AS begun FROM ${source} ORDER BY requests.time DESC LIMIT ${count})`,
    parameters.values,
  )
  return row && row.found > 0 ? { time: row.timeMs, isAll: row.found < count } : undefined
}

export interface ResearcherCounts {
  readonly researcherId: string
  readonly requests: number
  readonly benign: number
}

/** How many requests of each researcher were let through, the most first: all that decides about an access is whose they are. */
export function countByResearcher(store: TrafficStore, scope: Scope): Promise<ResearcherCounts[]> {
  const parameters = new Parameters()
  return store.query(
    `SELECT toString(researcher_id) AS researcherId, count() AS requests, countIf(${BENIGN}) AS benign
     FROM ${requestsOf(scope, parameters, [IS_REQUEST, PASSED])} GROUP BY researcher_id ORDER BY requests DESC, researcher_id`,
    parameters.values,
  )
}

/** The newest requests of these researchers that were let through. */
export async function newestOf(
  store: TrafficStore,
  scope: Scope,
  researcherIds: readonly string[],
  limit: number,
): Promise<TrafficEvent[]> {
  const parameters = new Parameters()
  const theirs = `researcher_id IN ${parameters.bind('Array(String)', researcherIds)}`
  const rows = await store.query<RequestRow>(
    `SELECT ${READ_COLUMNS} FROM ${requestsOf(scope, parameters, [IS_REQUEST, PASSED, theirs])}
     ORDER BY requests.time DESC, requests.id DESC LIMIT ${limit}`,
    parameters.values,
  )
  return rows.map(eventOf)
}

/** Requests by id, newest first. The scope is the time that they lie in. */
export async function readByIds(
  store: TrafficStore,
  scope: Scope,
  ids: readonly string[],
): Promise<TrafficEvent[]> {
  const parameters = new Parameters()
  const named = `toString(requests.id) IN ${parameters.bind('Array(String)', ids)}`
  const rows = await store.query<RequestRow>(
    `SELECT ${READ_COLUMNS} FROM ${requestsOf(scope, parameters, [IS_REQUEST, named])}
     ORDER BY requests.time DESC, requests.id DESC`,
    parameters.values,
  )
  return rows.map(eventOf)
}
