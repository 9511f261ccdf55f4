/**
 * Headers, and the query, may ask an origin to take a request for another method or path than its own
 * (`header-table.ts`). The replaced request must not get past a rule that the plain one would fall under, so each is judged.
 */
import { canonicalPath, mayNameMethod, namedMethods, TARGETS_MAX } from '@sallyport/policy'
import type { NamedByHeader } from '../headers/header-block.ts'
import type { ReceivedRequest } from './exchange.ts'

/** The request as it was sent, and as what the origin may take it for instead. */
export interface JudgedRequest {
  readonly methods: readonly string[]
  /** Its own target, then those that headers name, each once. */
  readonly targets: readonly string[]
  /** Folded name of the header that names a target, by its index; undefined for the request's own. */
  readonly namedBy: readonly (string | undefined)[]
}

const BY_ITSELF: readonly undefined[] = [undefined]

export function judgedRequest(request: ReceivedRequest): JudgedRequest {
  const { method, target } = request
  const { named } = request.headers.meaning
  if (named.length === 0 && !mayNameMethod(target))
    return { methods: [method], targets: [target], namedBy: BY_ITSELF }
  const methods = [method]
  const targets = new Map<string, string | undefined>([[target, undefined]])
  for (const header of named) {
    if (header.kind === 'judged-method') addMethodsOf(header.value, methods)
    // With one more than are judged, the request falls under every rule.
    else if (targets.size <= TARGETS_MAX)
      for (const text of targetsOf(header, target)) if (!targets.has(text)) targets.set(text, header.name)
    if (header.kind === 'judged-destination') methods.push(...COPYING)
  }
  for (const text of targets.keys()) methods.push(...namedMethods(text))
  return { methods, targets: [...targets.keys()], namedBy: [...targets.values()] }
}

/** What COPY and MOVE come to (RFC 4918, sections 9.8 and 9.9): one resource is read, one is written, one may be deleted. */
const COPYING = ['GET', 'PUT', 'DELETE']

/** The targets that a header names. */
function targetsOf({ kind, value }: NamedByHeader, target: string): string[] {
  const items = listed(value)
  const texts = [pathOf(value), ...items]
  if (kind === 'judged-prefix')
    for (const prefix of [value, ...items]) texts.push(...withAndWithout(prefix, target))
  return texts
}

/** What a target comes to with a prefix before it, and where it is taken off. */
function withAndWithout(prefix: string, target: string): string[] {
  if (prefix === '') return []
  const texts: string[] = []
  // The second is the path where the target is a whole URL, and what WSGI has of one that is encoded.
  for (const path of [target, canonicalPath(target)]) {
    texts.push(prefix + path)
    // Some take the path from where the prefix ends, wherever it stands (gunicorn).
    const at = path.indexOf(prefix)
    if (at !== -1) texts.push(path.slice(at + prefix.length))
  }
  return texts
}

/** Of what may be a list some origins take the first item, some the last. One without a slash is a path all the same. */
function listed(value: string): string[] {
  const first = value.indexOf(',')
  if (first === -1) return []
  return [value.slice(0, first), value.slice(value.lastIndexOf(',') + 1)].map((untrimmed) => {
    const item = untrimmed.trim()
    return PATH_OR_URL.test(item) ? pathOf(item) : `/${item}`
  })
}
const PATH_OR_URL = /^(?:[/\\%]|[a-z][a-z0-9+.-]*:)/i

/**
 * The path of a plain URL, because there is but one way to read it, as there is of a path. Anything odd is left as it is, for
 * its readings to be worked out.
 */
const pathOf = (value: string): string => {
  const rest = value.replace(PLAIN_BASE, '')
  return rest === '' ? '/' : rest
}
const PLAIN_BASE = /^https?:\/\/[a-z0-9.-]+(?::[0-9]*)?(?=\/(?!\/)|$)/i

/** Adds each method of a list: Express takes the first, for Node makes a list of a header that comes twice. */
function addMethodsOf(list: string, methods: string[]): void {
  for (const method of list.split(',')) methods.push(method.trim())
}
