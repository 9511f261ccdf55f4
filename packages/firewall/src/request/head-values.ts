/**
 * The values of a request head: method, target, path segments, query, headers, cookies and the names of them.
 * Nothing is refused or skipped for being malformed; it is judged as it stands.
 */

import { percentDecode } from '../decoding/percent-decoding.ts'
import type { Steps } from '../slices.ts'
import { ADDRESSES, addressGroup } from './addresses.ts'
import { emitFileName, isFileNameHeader } from './file-names.ts'
import { formPairs, isOddName } from './query.ts'
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
}

const METHOD = addressGroup(ADDRESSES.method)
const TARGET = addressGroup(ADDRESSES.target)
const FILENAME = addressGroup(ADDRESSES.filename)
const PATH = addressGroup(ADDRESSES.path)
const QUERY = addressGroup(ADDRESSES.query)
const HEADER = addressGroup(ADDRESSES.header)
const COOKIE = addressGroup(ADDRESSES.cookie)
const PARAMETER_NAMES = addressGroup(ADDRESSES.parameterNames)
const COOKIE_NAMES = addressGroup(ADDRESSES.cookieNames)
const HEADER_NAMES = addressGroup(ADDRESSES.headerNames)
const FOREIGN_URL = addressGroup(ADDRESSES.foreignUrl)
const FOREIGN_REFERER = addressGroup(ADDRESSES.foreignReferer)
const ABSENT_REFERER = addressGroup(ADDRESSES.absentReferer)

/** First value of a header, by lower-case name; empty where absent. */
export function headerOf(head: InspectedHead, name: string): string {
  for (let index = 0; index + 1 < head.rawHeaders.length; index += 2)
    if (head.rawHeaders[index]?.toLowerCase() === name) return head.rawHeaders[index + 1] ?? ''
  return ''
}

/** All values of a header, in order, by lower-case name. */
export const headersOf = ({ rawHeaders }: InspectedHead, name: string): string[] =>
  rawHeaders.filter((_, index) => index % 2 === 1 && rawHeaders[index - 1]?.toLowerCase() === name)

/** Shows every value of the head to `emit`, or those that do not come from headers. */
export function* headValues(head: InspectedHead, emit: ValueSink, withHeaders: boolean): Steps {
  emit({ part: 'method', parameter: '', text: head.method, group: METHOD })
  yield* emitTarget(head.target, emit)
  const host = headerOf(head, 'host')
  yield* emitQuery(head.target, host, emit)
  if (withHeaders) yield* emitHeaders(head.rawHeaders, host, emit)
}

function* emitTarget(target: string, emit: ValueSink): Steps {
  emit({ part: 'target', parameter: '', text: target, group: TARGET })
  const end = target.search(/[?#]/)
  const path = end < 0 ? target : target.slice(0, end)
  const decoded = percentDecode(path)
  emit({ part: 'path', parameter: '', text: decoded, group: FILENAME })
  // A comment of SQL has slashes, at which segments would end in the middle of a statement.
  if (decoded.includes('/*')) emit({ part: 'path', parameter: '', text: decoded, group: PATH })
  for (const [index, segment] of path.split('/').entries()) {
    if (segment !== '') emit({ part: 'path', parameter: '', text: percentDecode(segment), group: PATH })
    if (index % VALUES_PER_STEP === VALUES_PER_STEP - 1) yield
  }
}

function* emitQuery(target: string, host: string, emit: ValueSink): Steps {
  const question = target.indexOf('?')
  if (question < 0) return
  let pairs = 0
  for (const { name, value } of formPairs(target.slice(question + 1))) {
    if (name !== '') emit({ part: 'query', parameter: name, text: name, group: PARAMETER_NAMES })
    if (isOddName(name)) emit({ part: 'query', parameter: name, text: name, group: QUERY })
    if (value !== '') emit({ part: 'query', parameter: name, text: value, group: QUERY })
    if (isForeignUrl(value, host)) emit({ part: 'query', parameter: name, text: value, group: FOREIGN_URL })
    if (++pairs % VALUES_PER_STEP === 0) yield
  }
}

function* emitHeaders(rawHeaders: readonly string[], host: string, emit: ValueSink): Steps {
  let referer = false
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    const name = (rawHeaders[index] ?? '').toLowerCase()
    const value = rawHeaders[index + 1] ?? ''
    emit({ part: 'header', parameter: name, text: name, group: HEADER_NAMES })
    if (name === 'cookie') yield* emitCookies(value, emit)
    else if (value !== '') emit({ part: 'header', parameter: name, text: value, group: HEADER })
    if (isFileNameHeader(name)) emitFileName('header', name, value, emit)
    if (name === 'referer') {
      referer = true
      if (isForeignUrl(value, host))
        emit({ part: 'header', parameter: name, text: value, group: FOREIGN_REFERER })
    }
  }
  if (!referer) emit({ part: 'header', parameter: 'referer', text: 'absent', group: ABSENT_REFERER })
}

function* emitCookies(header: string, emit: ValueSink): Steps {
  for (const [index, piece] of header.split(';').entries()) {
    const equals = piece.indexOf('=')
    const name = (equals < 0 ? '' : piece.slice(0, equals)).trim()
    const value = percentDecode((equals < 0 ? piece : piece.slice(equals + 1)).trim())
    if (name !== '') emit({ part: 'cookie', parameter: name, text: name, group: COOKIE_NAMES })
    if (value !== '') emit({ part: 'cookie', parameter: name, text: value, group: COOKIE })
    if (index % VALUES_PER_STEP === VALUES_PER_STEP - 1) yield
  }
}

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
