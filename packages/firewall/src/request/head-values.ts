/**
 * The values of a request head: method, target, path segments, query, headers, cookies and the names of them.
 * Nothing is refused or skipped for being malformed; it is judged as it stands.
 */

import { percentDecode } from '../decoding/percent-decoding.ts'
import type { MistypedValue } from '../scoring/declared-type.ts'
import type { Steps } from '../slices.ts'
import { GROUPS } from './addresses.ts'
import { emitFileName, isFileNameHeader } from './file-names.ts'
import { formPairs, isOddName, JoinedPairs } from './query.ts'
import { VALUES_PER_STEP, type ValueSink } from './request-value.ts'

/** A request head as it was received. */
export interface InspectedHead {
  readonly method: string
  /** The request target, byte for byte as sent. */
  readonly target: string
  /**
   * Names and values in turn, as received (`IncomingMessage.rawHeaders`). Who repeats its headers is best given the same
   * array again, which must not have changed: nothing in it is looked up twice.
   */
  readonly rawHeaders: readonly string[]
  /** True where the array was never given before: nothing is kept of it, because most such arrays never come again. */
  readonly hasNewHeaders?: boolean
  /** Values that are not of the types that the site's API definition declares. */
  readonly mistyped?: readonly MistypedValue[]
}

/** First value of a header, by lower-case name; empty where absent. */
export function headerOf(head: InspectedHead, name: string): string {
  for (let index = 0; index + 1 < head.rawHeaders.length; index += 2)
    if (head.rawHeaders[index]?.toLowerCase() === name) return head.rawHeaders[index + 1] ?? ''
  return ''
}

/** All values of a header, in order, by lower-case name. */
export const headersOf = ({ rawHeaders }: InspectedHead, name: string): string[] =>
  rawHeaders.filter((_, index) => index % 2 === 1 && rawHeaders[index - 1]?.toLowerCase() === name)

/** Whether nothing of a header need be shown; the name in lower case. Not asked of headers that are judged with other parts of the head. */
export type HeaderFilter = (name: string, value: string) => boolean

/** Shows every value of the head to `emit`; of the headers those that `isLeftOut` does not leave out, or none without it. */
export function* headValues(head: InspectedHead, emit: ValueSink, isLeftOut: HeaderFilter | null): Steps {
  emit({ part: 'method', parameter: '', text: head.method, group: GROUPS.method })
  yield* emitTarget(head.target, emit)
  const host = headerOf(head, 'host')
  yield* emitQuery(head.target, host, emit)
  if (isLeftOut) yield* emitHeaders(head.rawHeaders, host, emit, isLeftOut)
}

function* emitTarget(target: string, emit: ValueSink): Steps {
  emit({ part: 'target', parameter: '', text: target, group: GROUPS.target })
  const end = target.search(/[?#]/)
  const path = end < 0 ? target : target.slice(0, end)
  const decoded = percentDecode(path)
  emit({ part: 'path', parameter: '', text: decoded, group: GROUPS.filename })
  // A comment of SQL has slashes, at which segments would end in the middle of a statement.
  if (decoded.includes('/*')) emit({ part: 'path', parameter: '', text: decoded, group: GROUPS.path })
  const fragment = target.indexOf('#')
  if (fragment >= 0)
    emit({ part: 'path', parameter: '', text: percentDecode(target.slice(fragment + 1)), group: GROUPS.path })
  for (const [index, segment] of path.split('/').entries()) {
    if (segment !== '')
      emit({ part: 'path', parameter: '', text: percentDecode(segment), group: GROUPS.path })
    for (const parameter of segment.split(';').slice(1))
      emit({ part: 'path', parameter: '', text: percentDecode(afterName(parameter)), group: GROUPS.path })
    if (index % VALUES_PER_STEP === VALUES_PER_STEP - 1) yield
  }
}

/** The value of a path's parameter, which may have no name (RFC 3986, 3.3). */
const afterName = (parameter: string): string => parameter.slice(parameter.indexOf('=') + 1)

function* emitQuery(target: string, host: string, emit: ValueSink): Steps {
  const question = target.indexOf('?')
  if (question < 0) return
  let pairs = 0
  const query = target.slice(question + 1)
  const joined = new JoinedPairs()
  for (const pair of formPairs(query)) {
    const { name, value } = pair
    joined.add(pair)
    if (name !== '') emit({ part: 'query', parameter: name, text: name, group: GROUPS.parameterNames })
    if (isOddName(name)) emit({ part: 'query', parameter: name, text: name, group: GROUPS.query })
    if (value !== '') emit({ part: 'query', parameter: name, text: value, group: GROUPS.query })
    if (isForeignUrl(value, host))
      emit({ part: 'query', parameter: name, text: value, group: GROUPS.foreignUrl })
    if (++pairs % VALUES_PER_STEP === 0) yield
  }
  for (const { name, value } of joined.texts(query))
    emit({ part: 'query', parameter: name, text: value, group: GROUPS.query })
}

/** Names and values count one by one. */
const HEADERS_PER_STEP = 16
/** What a referer says depends on the host, and many cookies are judged together. */
const JUDGED_WITH_OTHERS: ReadonlySet<string> = new Set(['cookie', 'referer'])

function* emitHeaders(
  rawHeaders: readonly string[],
  host: string,
  emit: ValueSink,
  isLeftOut: HeaderFilter,
): Steps {
  let referer = false
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    const name = (rawHeaders[index] ?? '').toLowerCase()
    const value = rawHeaders[index + 1] ?? ''
    if (index % HEADERS_PER_STEP === 0) yield
    if (!JUDGED_WITH_OTHERS.has(name) && isLeftOut(name, value)) continue
    // Without a value a header is its name alone, which comes again where the value is new each time.
    const isNameLeftOut = isLeftOut(name, '')
    if (!isNameLeftOut) emit({ part: 'header', parameter: name, text: name, group: GROUPS.headerNames })
    if (name === 'cookie') yield* emitCookies(value, emit)
    else if (value !== '') emit({ part: 'header', parameter: name, text: value, group: GROUPS.header })
    const free = freeTextOf(name, value)
    if (free !== '') emit({ part: 'header', parameter: name, text: free, group: GROUPS.otherText })
    if (!isNameLeftOut && isOddName(name))
      emit({ part: 'header', parameter: name, text: name, group: GROUPS.otherText })
    if (isFileNameHeader(name)) emitFileName('header', name, value, emit)
    if (name === 'referer') {
      referer = true
      yield* emitRefererQuery(value, emit)
      if (isForeignUrl(value, host))
        emit({ part: 'header', parameter: name, text: value, group: GROUPS.foreignReferer })
    }
  }
  if (!referer) emit({ part: 'header', parameter: 'referer', text: 'absent', group: GROUPS.absentReferer })
}

/** Values in the query of the page that somebody came from, which analytics read as they read those of the target. */
function* emitRefererQuery(referer: string, emit: ValueSink): Steps {
  const question = referer.indexOf('?')
  if (question < 0) return
  let pairs = 0
  for (const { name, value } of formPairs(referer.slice(question + 1))) {
    if (value !== '') emit({ part: 'header', parameter: 'referer', text: value, group: GROUPS.otherText })
    if (isOddName(name)) emit({ part: 'header', parameter: 'referer', text: name, group: GROUPS.otherText })
    if (++pairs % VALUES_PER_STEP === 0) yield
  }
}

/** Headers with a grammar of their own, by which origins read them. */
const GRAMMATICAL =
  /^(?:cookie|host|accept|accept-encoding|accept-charset|connection|content-(?:length|encoding|type|md5|range)|transfer-encoding|te|upgrade|date|expect|if-(?:none-)?match|if-(?:un)?modified-since|sec-[\w-]+|traceparent|dnt|keep-alive|max-forwards|age|upgrade-insecure-requests|baggage|x-file-?name)$/

/** Where a page was: a scheme and an authority, which may well be internal, and no input. */
const PAGE_ORIGIN = /^https?:\/\/(?:[\w.-]+|\[[\da-f:.]+\])(?::\d+)?/i

/** What of a header's value somebody may have chosen freely. */
function freeTextOf(name: string, value: string): string {
  if (GRAMMATICAL.test(name)) return ''
  return name === 'origin' || name === 'referer' ? value.replace(PAGE_ORIGIN, '') : value
}

function* emitCookies(header: string, emit: ValueSink): Steps {
  for (const [index, piece] of header.split(';').entries()) {
    const equals = piece.indexOf('=')
    const name = (equals < 0 ? '' : piece.slice(0, equals)).trim()
    const value = percentDecode(unquoted((equals < 0 ? piece : piece.slice(equals + 1)).trim()))
    if (name !== '') emit({ part: 'cookie', parameter: name, text: name, group: GROUPS.cookieNames })
    if (isOddName(name))
      emit({ part: 'cookie', parameter: name, text: percentDecode(name), group: GROUPS.cookie })
    if (value !== '') emit({ part: 'cookie', parameter: name, text: value, group: GROUPS.cookie })
    if (index % VALUES_PER_STEP === VALUES_PER_STEP - 1) yield
  }
}

/** The value of a cookie without the quotes around it (RFC 6265, 4.1.1). */
const unquoted = (value: string): string => /^"([^"]*)"$/.exec(value)?.[1] ?? value

/** Whether a value is a URL with an authority that is not the host asked for, port and case aside. */
export function isForeignUrl(value: string, host: string): boolean {
  const authority = /^\s*(?:url:)?(?:https?|ht|ftps?|file|gopher|dict|smb):\/{2,}([^/?#\\\s]*)/i.exec(
    value,
  )?.[1]
  if (authority === undefined) return false
  const other = authority.replace(/:\d*$/, '').toLowerCase()
  const own = host.replace(/:\d*$/, '').toLowerCase()
  return other !== own && !other.endsWith(`.${own}`)
}
