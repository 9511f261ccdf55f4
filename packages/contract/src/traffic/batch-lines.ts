/**
 * The lines of a traffic batch after its header, as text and back. What they look like is said in `batch.ts`; the places in
 * them in `fields.ts`.
 *
 * A request's line comes in two halves: its head, known when the request goes to its origin, and its tail, known at its
 * end. The text is put together by compiled functions, because it is made for every request that goes through a gateway.
 */
import { compile } from './compile.ts'
import {
  type RequestLineHead,
  type RequestLineTail,
  senderOf,
  type TrafficRequest,
  type TrafficSender,
} from './event.ts'
import {
  LATER_HIT_FIELDS,
  LINE_HEAD_FIELDS,
  LINE_TAIL_FIELDS,
  placeOf,
  TRAFFIC_FIELDS,
  type TrafficFieldName,
  trafficRequestFields,
} from './fields.ts'
import { HITS_MAX } from './values.ts'

/** The members of a sender as JSON, from the first name to the closing brace. */
export const senderMembers = (given: TrafficSender): string => JSON.stringify(senderOf(given)).slice(1)

/** The line that declares a sender, of which `senderMembers` is given. */
export const senderLine = (number: number, members: string): string => `{"sender":${number},${members}`

/** The beginning of a request's line. */
export const requestLineStart = (sender: number): string => `[${sender},`

/** Members up to this place are in every line. */
const LAST_PLACE_OF_ALL = 15
/** Of the members from there up to this place a line has all or none. Each later one is left out where it and all after it are empty. */
const LAST_PLACE_TOGETHER = 21

const tailUpTo = (first: number, last: number): TrafficFieldName[] =>
  LINE_TAIL_FIELDS.filter((name) => placeOf(name) > first && placeOf(name) <= last)
const ALWAYS = tailUpTo(0, LAST_PLACE_OF_ALL)
const TOGETHER = tailUpTo(LAST_PLACE_OF_ALL, LAST_PLACE_TOGETHER)
const LATER = tailUpTo(LAST_PLACE_TOGETHER, Number.POSITIVE_INFINITY)

/** Members that follow from another one are null in the line where they are as it says. */
const HEAD_TEXT: Partial<Record<TrafficFieldName, string>> = {
  path: 'isPathOf(request.target, request.path) ? null : request.path',
  route: 'request.route === request.path ? null : request.route',
}

/** What follows the beginning of a line, up to the comma before the tail. One call for all of it: each takes its time, and so does joining. */
export const requestLineHead: (request: RequestLineHead) => string = compile(
  'request',
  `JSON.stringify([${LINE_HEAD_FIELDS.map((name) => HEAD_TEXT[name] ?? `request.${name}`).join(', ')}]).slice(1, -1)`,
  { isPathOf },
)

const isEmpty = (name: TrafficFieldName): string => {
  const { empty } = TRAFFIC_FIELDS[name]
  return typeof empty === 'object'
    ? `request.${name}.length === 0`
    : `request.${name} === ${JSON.stringify(empty)}`
}

/** How a number or a word stands in a line. */
const plainText = (name: TrafficFieldName): string => {
  const isNumber = TRAFFIC_FIELDS[name].type.kind === 'integer'
  return isNumber ? `\${request.${name}}` : `"\${request.${name}}"`
}

const writeRest: (request: RequestLineTail) => string = compile(
  'request',
  `{
    const rest = [${[...TOGETHER, ...LATER].map((name) => `request.${name}`).join(', ')}]
    ${LATER.reduce((then, name) => `if (${isEmpty(name)}) { rest.length -= 1; ${then} }`, '')}
    return JSON.stringify(rest).slice(1)
  }`,
)

/** The rest of a request's line, from that comma to the closing bracket. */
export const requestLineTail: (request: RequestLineTail) => string = compile(
  'request',
  `{
    const always = \`,${ALWAYS.map(plainText).join(',')}\`
    const isPlain = ${[...TOGETHER, ...LATER].map(isEmpty).join(' && ')}
    return isPlain ? always + ']' : always + ',' + writeRest(request)
  }`,
  { writeRest },
)

/** The line of a request whose sender is declared under that number. */
export const requestLine = (sender: number, request: TrafficRequest): string =>
  `${requestLineStart(sender)}${requestLineHead(request)}${requestLineTail(request)}`

/** Whether a path is what its target says up to the query. */
function isPathOf(target: string, path: string): boolean {
  const query = target.indexOf('?')
  return query === -1 ? path === target : path.length === query && target.startsWith(path)
}

const LATER_NAMES = Object.keys(LATER_HIT_FIELDS)

/** What a line says of a request: any JSON in any place. */
export type RequestCandidate = { readonly [Field in keyof TrafficRequest]: unknown }

const memberText = (name: TrafficFieldName): string => {
  const place = placeOf(name)
  const { empty } = TRAFFIC_FIELDS[name]
  if (name === 'path') return 'path'
  if (name === 'route') return `line[${place}] === null ? path : line[${place}]`
  if (place <= LAST_PLACE_OF_ALL) return `line[${place}]`
  if (name === 'hits') return `line.length > ${place} ? completeHits(line[${place}]) : noItems`
  return `line.length > ${place} ? line[${place}] : ${typeof empty === 'object' ? 'noItems' : JSON.stringify(empty)}`
}

/** The request of a parsed line, with what was left out filled in. Nothing is checked. */
export const requestOfLine: (line: readonly unknown[]) => RequestCandidate = compile(
  'line',
  `{
    const target = line[${placeOf('target')}]
    const sent = line[${placeOf('path')}]
    const path = sent === null && typeof target === 'string' ? pathOf(target) : sent
    return { ${trafficRequestFields.map((name) => `${name}: ${memberText(name)}`).join(', ')} }
  }`,
  { pathOf, completeHits, noItems: [] },
)

/** Hits with the members that their gateway did not know yet. */
function completeHits(given: unknown): unknown {
  if (!Array.isArray(given) || given.length > HITS_MAX) return given
  return given.map((hit: unknown) =>
    typeof hit === 'object' && hit !== null && LATER_NAMES.some((name) => !(name in hit))
      ? { ...LATER_HIT_FIELDS, ...hit }
      : hit,
  )
}

function pathOf(target: string): string {
  const query = target.indexOf('?')
  return query === -1 ? target : target.slice(0, query)
}
