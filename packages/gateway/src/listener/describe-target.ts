/**
 * What the record says about a target beyond its text: the path as most origins read it, the route, the names in the
 * query. For the record only; rules are judged by the readings of the policy package.
 */
import { PATH_CHARS_MAX, QUERY_NAMES_MAX } from '@sallyport/contract'

export interface TargetDescription {
  readonly path: string
  readonly route: string
  readonly queryNames: readonly string[]
}

const NO_NAMES: readonly string[] = []
const QUERY_NAME_CHARS_MAX = 128
/** Targets whose path is read as it stands: nothing encoded, no dot segments, no doubled or reversed slashes. */
const PLAIN_PATH = /^(?:\/[A-Za-z0-9_~!$&'()*+,=:@-][A-Za-z0-9._~!$&'()*+,=:@-]*)*\/?$/
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i
const NUMBER = /^\d+$/
const HEX = /^(?=.*\d)[0-9a-f]{16,}$/i

/** Describes a target, in origin-form or absolute-form. */
export function describeTarget(target: string): TargetDescription {
  const mark = target.indexOf('?')
  const rawPath = withoutAuthority(mark < 0 ? target : target.slice(0, mark))
  const path = (PLAIN_PATH.test(rawPath) ? rawPath : readPath(rawPath)).slice(0, PATH_CHARS_MAX)
  const queryNames = mark < 0 ? NO_NAMES : namesIn(target.slice(mark + 1))
  return { path, route: routeOf(path), queryNames }
}

function withoutAuthority(path: string): string {
  if (path.startsWith('/')) return path
  const authority = /^https?:\/\/[^/]*/i.exec(path)
  return authority ? path.slice(authority[0].length) || '/' : path
}

function readPath(raw: string): string {
  const segments: string[] = []
  const decoded = decodeOnce(raw)
  const parts = decoded.split('/')
  for (const [index, part] of parts.entries()) {
    if (part === '.' || part === '..') {
      if (part === '..' && segments.length > 1) segments.pop()
      if (index === parts.length - 1) segments.push('')
    } else segments.push(part)
  }
  return segments.join('/') || '/'
}

/** Percent-decodes byte by byte, as UTF-8 where that is what the bytes are, else leaving the text as it was. */
function decodeOnce(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** Typed segments replaced, so that requests of one endpoint fall together. */
function routeOf(path: string): string {
  if (!/\d/.test(path)) return path
  return path
    .split('/')
    .map((segment) => {
      if (NUMBER.test(segment)) return '{id}'
      if (UUID.test(segment)) return '{uuid}'
      return HEX.test(segment) ? '{hash}' : segment
    })
    .join('/')
}

function namesIn(query: string): readonly string[] {
  const names = new Set<string>()
  for (const pair of query.split('&', 4 * QUERY_NAMES_MAX)) {
    const name = pair.split('=', 1)[0] ?? ''
    if (name !== '') names.add(decodeOnce(name.replaceAll('+', ' ')).slice(0, QUERY_NAME_CHARS_MAX))
    if (names.size === QUERY_NAMES_MAX) break
  }
  return [...names]
}
