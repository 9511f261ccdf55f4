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
  older: 'requests.time DESC, requests.id DESC, toString(requests.kind) DESC',
  newer: 'requests.time ASC, requests.id ASC, toString(requests.kind) ASC',
} as const
export type Direction = keyof typeof ORDER

/**
 * Up to `limit` events of the scope in one direction: `older` from the end of the window backwards, `newer` from its
 * start on, beyond `from` where it is given. A long window is read in pieces that grow, because what is asked for is
 * mostly near where the reading starts.
 */
export async function readRequests(
  store: TrafficStore,
  scope: Scope,
  direction: Direction,
  limit: number,
  from?: LogPosition,
): Promise<TrafficEvent[]> {
  const events: TrafficEvent[] = []
  for (const piece of growingPieces(narrow(scope, direction, from), direction)) {
    events.push(...(await readPiece(store, piece, direction, limit - events.length, from)))
    if (events.length >= limit) break
  }
  return events
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
  limit: number,
  from: LogPosition | undefined,
): Promise<TrafficEvent[]> {
  const parameters = new Parameters()
  const beyond = from ? [`${KEY} ${direction === 'older' ? '<' : '>'} ${placeOf(from, parameters)}`] : []
  const rows = await store.query<RequestRow>(
    `SELECT ${READ_COLUMNS} FROM ${requestsOf(scope, parameters, beyond)} ORDER BY ${ORDER[direction]} LIMIT ${limit}`,
    parameters.values,
  )
  return rows.map(eventOf)
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
