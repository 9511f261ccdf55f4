/**
 * Some frameworks let a request replace its own method or path. The replaced request must not get past a rule that the
 * plain one would fall under, so both are judged.
 */
import type { ReceivedRequest } from './exchange.ts'
import { foldName } from './header-names.ts'

/** Headers by which a POST asks to be taken for another method (Rails, Symfony, ASP.NET, Google's APIs). */
const METHOD_HEADERS = namesByLength('x-http-method-override', 'x-http-method', 'x-method-override')
/** Headers by which a request asks for another path (IIS rewriting, Symfony and Zend before 2018). */
const TARGET_HEADERS = namesByLength('x-original-url', 'x-rewrite-url')
/** Every pair but those of a name that begins as names mostly do: few targets have one. */
const ODD_PAIR = /[?&;](?![a-z0-9])/i

/** The request as it was sent, and as what the origin may take it for instead. */
export interface JudgedRequest {
  readonly methods: readonly string[]
  readonly targets: readonly string[]
}

export function judgedRequest(request: ReceivedRequest): JudgedRequest {
  const methods = [request.method]
  const targets = [request.target]
  const { rawHeaders } = request
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? ''
    // All of these names begin with an x, so that most headers cost one comparison.
    if ((name.charCodeAt(0) | 0x20) !== 0x78) continue
    if (isAmong(METHOD_HEADERS, name)) addMethodsOf(rawHeaders[index + 1] ?? '', methods)
    else if (isAmong(TARGET_HEADERS, name)) targets.push(rawHeaders[index + 1] ?? '')
  }
  for (const target of targets) if (ODD_PAIR.test(target)) addMethodsIn(target, methods)
  return { methods, targets }
}

/** Whether a field replaces the method or the path where an origin takes it for a header. */
export const replacesRequest = (name: string): boolean =>
  isAmong(METHOD_HEADERS, name) || isAmong(TARGET_HEADERS, name)

/** Adds each method of a list: Express takes the first, for Node makes a list of a header that comes twice. */
function addMethodsOf(list: string, methods: string[]): void {
  for (const method of list.split(',')) methods.push(method.trim())
}

/** Adds what `_method` says in the query, read as leniently as any framework reads it (PHP takes `.method` for it, too). */
function addMethodsIn(target: string, methods: string[]): void {
  const query = target.slice(target.indexOf('?') + 1).replace(/[?;]/g, '&')
  for (const [name, value] of new URLSearchParams(query)) {
    const [uncut = ''] = name.split('\0', 1)
    if (foldName(uncut.trimStart()) === '-method') methods.push(value.trim())
  }
}

/** Names by their length, which folding leaves as it is: most names are told from them by it. */
function namesByLength(...names: readonly string[]): ReadonlyMap<number, readonly string[]> {
  return Map.groupBy(names, (name) => name.length)
}

const isAmong = (names: ReadonlyMap<number, readonly string[]>, name: string): boolean =>
  names.get(name.length)?.includes(foldName(name)) ?? false
