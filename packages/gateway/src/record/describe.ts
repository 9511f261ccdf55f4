/**
 * What the record says of a request beyond what was sent: its path as most origins read it, the route it belongs to, the
 * names in its query. Pure functions of the head.
 */
import { PATH_CHARS_MAX, QUERY_NAMES_MAX } from '@sallyport/contract/words'
import { canonicalPath, percentDecodeStrictly } from '@sallyport/policy'

const QUERY_NAME_CHARS_MAX = 128

/** Where a request leads. */
export interface DescribedTarget {
  readonly path: string
  readonly route: string
  readonly queryNames: readonly string[]
}

/** The path, route and query names of a request target. */
export function describeTarget(target: string): DescribedTarget {
  const path = canonicalPath(target).slice(0, PATH_CHARS_MAX)
  // A type can be longer than the segment in whose place it stands.
  return { path, route: routeOf(path).slice(0, PATH_CHARS_MAX), queryNames: queryNamesOf(target) }
}

const NONE: readonly string[] = []

/** The distinct names in the query of a target, decoded, in order; at most `QUERY_NAMES_MAX` of them. */
export function queryNamesOf(target: string): readonly string[] {
  const start = target.indexOf('?')
  if (start === -1 || start === target.length - 1) return NONE
  const names = new Set<string>()
  let last: string | undefined
  let equals = start
  for (let at = start + 1; at < target.length; ) {
    const found = target.indexOf('&', at)
    const end = found === -1 ? target.length : found
    // The next one from here, which may be that of a later pair.
    if (equals < at) equals = indexOrEnd(target, '=', at)
    const name = target.slice(at, Math.min(equals, end))
    at = end + 1
    // A list repeats its name pair by pair.
    if (name === '' || name === last) continue
    last = name
    names.add(decodeName(name).slice(0, QUERY_NAME_CHARS_MAX))
    if (names.size === QUERY_NAMES_MAX) break
  }
  return [...names]
}

function indexOrEnd(text: string, sign: string, from: number): number {
  const at = text.indexOf(sign, from)
  return at === -1 ? text.length : at
}

const decodeName = (name: string): string =>
  /[%+]/.test(name) ? (percentDecodeStrictly(name.replaceAll('+', ' ')) ?? name) : name

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i
const NUMBER = /^\d+$/
const DATE = /^\d{4}-\d{2}-\d{2}(?:T[\d:.]+(?:Z|[+-]\d{2}:?\d{2})?)?$/
const HEX = /^(?=.*\d)[0-9a-f]{16,}$/i
const EMAIL = /^[^@]+@[^@]+\.[^@]+$/
/** Long, and letters of both cases mixed with digits: a token or an opaque id, hardly a word. */
const OPAQUE = /^(?=.*\d)(?=.*[a-z])(?=.*[A-Z])[\w-]{16,}$/
const SEGMENT_CHARS_MAX = 64

/** What types other than a long word contain. */
const MARK = /[\d@]/
/** Other types than numbers and addresses are as long. */
const TYPED_CHARS_MIN = 10

/** The path with segments that look like values replaced by their type: `/orders/17` is `/orders/{id}`. */
export function routeOf(path: string): string {
  const isMarked = MARK.test(path)
  // Most paths have neither and are their own route.
  if (!isMarked && path.length <= SEGMENT_CHARS_MAX) return path
  let route = ''
  let copied = 0
  for (let start = 0; start <= path.length; ) {
    const end = indexOrEnd(path, '/', start)
    if (isMarked || end - start > SEGMENT_CHARS_MAX) {
      const type = typeOf(path.slice(start, end))
      if (type !== undefined) {
        route += path.slice(copied, start) + type
        copied = end
      }
    }
    start = end + 1
  }
  return copied === 0 ? path : route + path.slice(copied)
}

function typeOf(segment: string): string | undefined {
  if (segment.length > SEGMENT_CHARS_MAX) return '{long}'
  if (NUMBER.test(segment)) return '{id}'
  if (segment.length < TYPED_CHARS_MIN)
    return segment.includes('@') && EMAIL.test(segment) ? '{email}' : undefined
  if (UUID.test(segment)) return '{uuid}'
  if (DATE.test(segment)) return '{date}'
  if (HEX.test(segment)) return '{hex}'
  if (EMAIL.test(segment)) return '{email}'
  if (OPAQUE.test(segment)) return '{token}'
  return undefined
}
