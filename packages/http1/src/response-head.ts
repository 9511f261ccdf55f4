/**
 * The head of a response, from text to its parts and to what it says about the connection. Servers repeat their heads (a
 * scanner is told 404 in the same words all second long), so a connection keeps the last one, and what was derived from it.
 */
import { readFieldLines } from './field-lines.ts'
import { FramingError } from './framing-error.ts'

export interface ResponseHead<Derived = never> {
  readonly status: number
  readonly statusText: string
  /** Name, value, name, value … as sent. */
  readonly rawHeaders: readonly string[]
  /** What the caller derived from this head last; kept for as long as the head repeats. */
  derived: Derived | null
}

/** What a head says about the end of its body and about the connection. */
export interface ResponseFraming {
  length: number | null
  chunked: boolean
  close: boolean
  keepAlive: boolean
  /** Size of all `Connection` headers. */
  connectionChars: number
  /** What the server promised in `Keep-Alive: timeout=`, null where it said nothing. */
  keepAliveMs: number | null
}

export interface ReadResponseHead<Derived = never> {
  readonly text: string
  readonly head: ResponseHead<Derived>
  readonly framing: ResponseFraming
}

const STATUS_LINE = /^HTTP\/1\.([01]) ([1-9]\d\d)(?: ([\t\x20-\x7e\x80-\xff]*))?$/
/** Lines of a head, or of trailers. Each is looked at several times; applications send dozens. */
export const HEADERS_MAX = 1_000
/** Of all `Connection` headers together: each name in them is looked for among all others. */
const CONNECTION_CHARS_MAX = 1_024
const LENGTH = /^\d{1,15}$/
/** A head, or trailers, with one of these is not HTTP. */
export const STRAY_CONTROL = /[\0]|\r(?!\n)|(?<!\r)\n/

/** Reads a head, given without the empty line that ends it. Throws a FramingError. */
export function readResponseHead<Derived = never>(text: string): ReadResponseHead<Derived> {
  if (STRAY_CONTROL.test(text)) throw new FramingError('stray control byte in the head')
  const lineEnd = text.indexOf('\r\n')
  const line = STATUS_LINE.exec(lineEnd < 0 ? text : text.slice(0, lineEnd))
  if (!line) throw new FramingError('no status line')
  const rawHeaders = readFieldLines(text, lineEnd < 0 ? text.length : lineEnd + 2, HEADERS_MAX)
  const framing = framingOf(rawHeaders)
  const isOld = line[1] === '0'
  if (framing.chunked && (framing.length !== null || isOld))
    throw new FramingError('chunked coding beside a length or in HTTP/1.0')
  framing.close ||= isOld && !framing.keepAlive
  const head = { status: Number(line[2]), statusText: line[3] ?? '', rawHeaders, derived: null }
  return { text, head, framing }
}

function framingOf(rawHeaders: readonly string[]): ResponseFraming {
  const framing: ResponseFraming = {
    length: null,
    chunked: false,
    close: false,
    keepAlive: false,
    connectionChars: 0,
    keepAliveMs: null,
  }
  for (let index = 0; index < rawHeaders.length; index += 2)
    noteFraming(framing, rawHeaders[index] ?? '', rawHeaders[index + 1] ?? '')
  return framing
}

/** Lengths of the names that matter for framing, so that most names are passed over by a number. */
function noteFraming(framing: ResponseFraming, name: string, value: string): void {
  const { length } = name
  if (length !== 10 && length !== 14 && length !== 17) return
  const lower = name.toLowerCase()
  if (lower === 'content-length') {
    if (!LENGTH.test(value) || (framing.length !== null && framing.length !== Number(value)))
      throw new FramingError('bad length')
    framing.length = Number(value)
  } else if (lower === 'transfer-encoding') {
    if (framing.chunked || value.toLowerCase() !== 'chunked')
      throw new FramingError('unknown transfer coding')
    framing.chunked = true
  } else if (lower === 'connection') {
    framing.connectionChars += value.length
    if (framing.connectionChars > CONNECTION_CHARS_MAX) throw new FramingError('too many connection options')
    const options = value.toLowerCase()
    if (options.includes('close')) framing.close = true
    if (options.includes('keep-alive')) framing.keepAlive = true
  } else if (lower === 'keep-alive') {
    const seconds = /timeout\s*=\s*(\d{1,6})/i.exec(value)?.[1]
    if (seconds !== undefined) framing.keepAliveMs = Number(seconds) * 1000
  }
}
