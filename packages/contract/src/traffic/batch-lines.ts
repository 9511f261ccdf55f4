/**
 * The lines of a traffic batch after its header, as text and back. What they look like is said in `traffic/batch.ts`.
 *
 * A request's line comes in two halves: its head, known when the request goes to its origin, and its tail, known at its
 * end. The text is put together by hand, because it is made for every request that goes through a gateway.
 */
import type { TrafficRequest, TrafficSender } from './event.ts'

/** Members of a request's line that are not known before its end. */
type TailMember =
  | 'status'
  | 'outcome'
  | 'requestBytes'
  | 'responseBytes'
  | 'durationUs'
  | 'firstByteUs'
  | 'inspection'
  | 'hits'
  | 'reason'
  | 'rule'
  | 'reading'
  | 'messagesIn'
  | 'messagesOut'
  | 'requestCount'
export type RequestLineTail = Pick<TrafficRequest, TailMember>
export type RequestLineHead = Omit<TrafficRequest, TailMember>

/** The sender in what holds one, such as an event, and nothing else. */
export const senderOf = (given: TrafficSender): TrafficSender => ({
  orgId: given.orgId,
  siteId: given.siteId,
  gatewayId: given.gatewayId,
  researcherId: given.researcherId,
  credential: given.credential,
  credentialId: given.credentialId,
  clientAddress: given.clientAddress,
  httpVersion: given.httpVersion,
  tls: given.tls,
  scheme: given.scheme,
  host: given.host,
  userAgent: given.userAgent,
  tool: given.tool,
})

/** The members of a sender as JSON, from the first name to the closing brace. */
export const senderMembers = (given: TrafficSender): string => JSON.stringify(senderOf(given)).slice(1)

/** The line that declares a sender, of which `senderMembers` is given. */
export const senderLine = (number: number, members: string): string => `{"sender":${number},${members}`

/** The beginning of a request's line. */
export const requestLineStart = (sender: number): string => `[${sender},`

/** What follows it, up to the comma before the tail. One call for all of it: each takes its time, and so does joining. */
export function requestLineHead(request: RequestLineHead): string {
  const { target, path, route } = request
  const members = [
    request.id,
    request.kind,
    request.time,
    request.method,
    target,
    isPathOf(target, path) ? null : path,
    route === path ? null : route,
    request.queryNames,
  ]
  return JSON.stringify(members).slice(1, -1)
}

/** The rest of a request's line, from that comma to the closing bracket. */
export function requestLineTail(request: RequestLineTail): string {
  const { hits, reason, rule, reading, messagesIn, messagesOut, requestCount } = request
  const measured =
    `,${request.status},"${request.outcome}",${request.requestBytes},${request.responseBytes},` +
    `${request.durationUs},${request.firstByteUs},"${request.inspection}"`
  const isPlain =
    hits.length === 0 &&
    reason === '' &&
    rule === '' &&
    reading === '' &&
    messagesIn === 0 &&
    messagesOut === 0 &&
    requestCount === 1
  if (isPlain) return `${measured}]`
  const rest: unknown[] = [hits, reason, rule, reading, messagesIn, messagesOut]
  if (requestCount !== 1) rest.push(requestCount)
  return `${measured},${JSON.stringify(rest).slice(1)}`
}

/** The line of a request whose sender is declared under that number. */
export const requestLine = (sender: number, request: TrafficRequest): string =>
  `${requestLineStart(sender)}${requestLineHead(request)}${requestLineTail(request)}`

/** Whether a path is what its target says up to the query. */
function isPathOf(target: string, path: string): boolean {
  const query = target.indexOf('?')
  return query === -1 ? path === target : path.length === query && target.startsWith(path)
}

/** What a line says of a request: any JSON in any place. */
export type RequestCandidate = { readonly [Field in keyof TrafficRequest]: unknown }

const NO_HITS: TrafficRequest['hits'] = []

/** The request of a parsed line, what was left out put in its place. Nothing is checked. */
export function requestOfLine(line: readonly unknown[]): RequestCandidate {
  const target = line[5]
  const path = line[6] === null && typeof target === 'string' ? pathOf(target) : line[6]
  return {
    id: line[1],
    kind: line[2],
    time: line[3],
    method: line[4],
    target,
    path,
    route: line[7] === null ? path : line[7],
    queryNames: line[8],
    status: line[9],
    outcome: line[10],
    reason: memberOr(line, 17, ''),
    rule: memberOr(line, 18, ''),
    reading: memberOr(line, 19, ''),
    requestBytes: line[11],
    responseBytes: line[12],
    durationUs: line[13],
    firstByteUs: line[14],
    inspection: line[15],
    hits: memberOr(line, 16, NO_HITS),
    messagesIn: memberOr(line, 20, 0),
    messagesOut: memberOr(line, 21, 0),
    requestCount: memberOr(line, 22, 1),
  }
}

const memberOr = (line: readonly unknown[], index: number, otherwise: unknown): unknown =>
  index < line.length ? line[index] : otherwise

function pathOf(target: string): string {
  const query = target.indexOf('?')
  return query === -1 ? target : target.slice(0, query)
}
