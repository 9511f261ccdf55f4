/** The request log: single requests, newest first, in pages that lead both ways. */
import type { TrafficEvent } from '@sallyport/contract'
import type { TrafficStore } from '../../../traffic-store/connection.ts'
import { eventOf, READ_COLUMNS, type RequestRow } from '../../../traffic-store/request-columns.ts'
import { DAY_MS, HOUR_MS } from '../query/time-segments.ts'
import { Parameters, requestsOf, type Scope } from './predicate.ts'

/** Where one event stands in the order of the log: no two events share it. */
export interface LogPosition {
  readonly time: number
  readonly id: string
  readonly kind: TrafficEvent['kind']
}

export const positionOf = ({ time, id, kind }: TrafficEvent): LogPosition => ({ time, id, kind })

/** The order of the log. `id` and `kind` only break ties. */
const KEY = '(requests.time, requests.id, toString(requests.kind))'
const ORDER = {
  older: orderOf('older', 'requests.time', 'requests.id', 'requests.kind'),
  newer: orderOf('newer', 'requests.time', 'requests.id', 'requests.kind'),
}
export type Direction = 'older' | 'newer'

function orderOf(direction: Direction, time: string, id: string, kind: string): string {
  const way = direction === 'older' ? 'DESC' : 'ASC'
  return `${time} ${way}, ${id} ${way}, toString(${kind}) ${way}`
}

/**
 * Up to `limit` events of the scope in one direction: `older` from the end of the window backwards, `newer` from its
 * start on, beyond `from` where it is given.
 */
export const readRequests = async (
  store: TrafficStore,
  scope: Scope,
  direction: Direction,
  limit: number,
  from?: LogPosition,
): Promise<TrafficEvent[]> => (await readLogPage(store, scope, direction, { events: limit }, from)).events

export interface LogPageBounds {
  readonly events: number
  /** As the store counts them. The event that goes beyond is the last one of its page, so that every page has one. */
  readonly bytes?: number
}

export interface LogPage {
  readonly events: TrafficEvent[]
  /** Whether a bound ended the page: there may be more. */
  readonly isFull: boolean
}

/** As `readRequests`. A long window is read in pieces that grow, because what is asked for is mostly near where the reading starts. */
export async function readLogPage(
  store: TrafficStore,
  scope: Scope,
  direction: Direction,
  { events: eventsMax, bytes: bytesMax = Number.POSITIVE_INFINITY }: LogPageBounds,
  from?: LogPosition,
): Promise<LogPage> {
  const events: TrafficEvent[] = []
  let bytes = 0
  for (const piece of growingPieces(narrow(scope, direction, from), direction)) {
    const room = { events: eventsMax - events.length, bytes: bytesMax - bytes }
    const rows = await readPiece(store, piece, direction, room, from)
    events.push(...rows.map(eventOf))
    bytes += Number(rows.at(-1)?.pageBytes ?? 0)
    if (events.length >= eventsMax || bytes >= bytesMax) return { events, isFull: true }
  }
  return { events, isFull: false }
}

/** Leaves out what lies on the other side of a position. */
function narrow(scope: Scope, direction: Direction, from: LogPosition | undefined): Scope {
  if (!from) return scope
  return direction === 'older'
    ? { ...scope, to: Math.min(scope.to, from.time + 1) }
    : { ...scope, from: Math.max(scope.from, from.time) }
}

const PIECES_MS = [HOUR_MS, 6 * HOUR_MS, DAY_MS, 7 * DAY_MS]

function growingPieces(scope: Scope, direction: Direction): Scope[] {
  const pieces: Scope[] = []
  let { from, to } = scope
  for (const lengthMs of [...PIECES_MS, Number.POSITIVE_INFINITY]) {
    if (from >= to) break
    if (direction === 'older') {
      const start = Math.max(from, to - lengthMs)
      pieces.push({ ...scope, from: start, to })
      to = start
    } else {
      const end = Math.min(to, from + lengthMs)
      pieces.push({ ...scope, from, to: end })
      from = end
    }
  }
  return pieces
}

async function readPiece(
  store: TrafficStore,
  scope: Scope,
  direction: Direction,
  room: Required<LogPageBounds>,
  from: LogPosition | undefined,
): Promise<RequestRow[]> {
  const parameters = new Parameters()
  const beyond = from ? [`${KEY} ${direction === 'older' ? '<' : '>'} ${placeOf(from, parameters)}`] : []
  const page = `SELECT ${READ_COLUMNS} FROM ${requestsOf(scope, parameters, beyond)} ORDER BY ${ORDER[direction]} LIMIT ${room.events}`
  const sql = Number.isFinite(room.bytes) ? firstBytes(page, direction, room.bytes) : page
  return store.query<RequestRow>(sql, parameters.values)
}

/** The first rows of a page up to so many bytes. The store leaves the others out, so that they never take up memory here. */
function firstBytes(page: string, direction: Direction, bytesMax: number): string {
  const order = orderOf(direction, 'timeMs', 'id', 'kind')
  return `SELECT * FROM (
    SELECT *, sum(byteSize(*)) OVER (ORDER BY ${order} ROWS UNBOUNDED PRECEDING) AS pageBytes FROM (${page})
  ) WHERE pageBytes - byteSize(* EXCEPT pageBytes) < ${bytesMax} ORDER BY ${order}`
}

const placeOf = ({ time, id, kind }: LogPosition, { bind }: Parameters): string =>
  `(fromUnixTimestamp64Milli(${bind('Int64', time)}, 'UTC'), toUUID(${bind('String', id)}), ${bind('String', kind)})`

/** How long after its id was made an event of a request may still come: a WebSocket closes later than it opened. */
const REQUEST_ID_SKEW_MS = HOUR_MS

/** All events of one request, in order: one, or both of a WebSocket. */
export async function readRequest(
  store: TrafficStore,
  orgId: string,
  id: string,
  now: number,
): Promise<TrafficEvent[]> {
  const madeAt = timeOfUuid(id)
  const scope = {
    orgId,
    from: madeAt === undefined ? 0 : madeAt - REQUEST_ID_SKEW_MS,
    to: now + DAY_MS,
    filter: {},
  }
  const parameters = new Parameters()
  const same = `requests.id = toUUID(${parameters.bind('String', id)})`
  const rows = await store.query<RequestRow>(
    `SELECT ${READ_COLUMNS} FROM ${requestsOf(scope, parameters, [same])} ORDER BY ${ORDER.newer} LIMIT 10`,
    parameters.values,
  )
  return rows.map(eventOf)
}

/** The instant in a UUIDv7 (RFC 9562, section 5.7); nothing for other versions. */
function timeOfUuid(id: string): number | undefined {
  const digits = id.replaceAll('-', '')
  return digits[12] === '7' ? Number.parseInt(digits.slice(0, 12), 16) : undefined
}
