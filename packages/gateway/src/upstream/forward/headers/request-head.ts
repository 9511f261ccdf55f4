/**
 * The request head that goes to the origin. What the tester sent passes in order and case; what concerns the hop, and
 * what only a gateway may say about the client, is dropped and said afresh.
 */
import { flatCopy } from '@sallyport/toolbox'
import { withoutGateCookies } from '../../../credentials/cookies.ts'
import { gatedAuthority, type ReceivedRequest, type SitePeer } from '../../../exchange/exchange.ts'
import type { ForwardedLines, HeaderMeaning } from '../../../headers/header-block.ts'
import { classOf, type HeaderClass } from '../../../headers/header-names.ts'
import { isKnownHeader } from '../../../headers/known-headers.ts'
import { withKnownCodings } from '../bodies/inflate.ts'
import { forwardedHost, type TranslatedNames, toOriginDestination, toOriginUrl } from './host-rewriting.ts'
import { toOriginTarget } from './redirect-uris.ts'

export interface HeadContext {
  readonly site: TranslatedNames
  /** The site from a page of which the request is sent. */
  readonly peer: SitePeer | null
  /** True of a preflight without a credential: nothing goes on but what browsers send with one. */
  readonly isPreflight: boolean
  readonly requestId: string
  /** Signed statement of who is calling; empty where there is none. */
  readonly assertion: string
  /** True where the client waits for `100 Continue` and the origin is to decide. */
  readonly expectContinue: boolean
  /** True where the site takes known headers only. */
  readonly knownHeadersOnly: boolean
}

/** The head, one character per byte, with the empty line that ends it. */
export function requestHead(request: ReceivedRequest, context: HeadContext): string {
  const { method, target, websocket, bodyBytes } = request
  let head =
    `${method} ${toOriginTarget(target, request, context.site)} HTTP/1.1\r\n${forwardedLines(request, context)}` +
    `Sallyport-Request-Id: ${context.requestId}\r\n`
  if (context.assertion !== '' && !isTrace(method)) head += `Sallyport-Assertion: ${context.assertion}\r\n`
  if (websocket) head += 'Connection: Upgrade\r\nUpgrade: websocket\r\n'
  if (bodyBytes === null) head += 'Transfer-Encoding: chunked\r\n'
  else if (bodyBytes > 0 || sentLength(request)) head += `Content-Length: ${bodyBytes}\r\n`
  return `${head}\r\n`
}

/**
 * The answer to TRACE is the request (RFC 9110, section 9.3.8): an assertion in it would reach the researcher, who could
 * show it to the origin past the gate. Some origins take a method in any case.
 */
const isTrace = (method: string): boolean => method.length === 5 && method.toUpperCase() === 'TRACE'

/** What is the same for every request with these headers from this client to this origin. */
function forwardedLines(request: ReceivedRequest, context: HeadContext): string {
  const { site, peer, isPreflight, expectContinue, knownHeadersOnly } = context
  const { origin } = site
  const { headers } = request
  const last = headers.forwarded
  if (
    last &&
    last.origin === origin &&
    last.peer === peer &&
    last.secure === request.secure &&
    last.isPreflight === isPreflight &&
    last.expectContinue === expectContinue &&
    last.knownHeadersOnly === knownHeadersOnly
  )
    return flatTextOf(last)
  const text = testerLines(request, context) + clientLines(request)
  const { secure } = request
  headers.forwarded = {
    origin,
    peer,
    secure,
    isPreflight,
    expectContinue,
    knownHeadersOnly,
    text,
    isFlat: false,
  }
  return text
}

/** What is written again and again is made one piece: V8 would go through the dozens it was joined of each time. */
function flatTextOf(lines: ForwardedLines): string {
  if (!lines.isFlat) {
    lines.text = flatCopy(lines.text)
    lines.isFlat = true
  }
  return lines.text
}

function testerLines(
  request: ReceivedRequest,
  { site, peer, isPreflight, expectContinue, knownHeadersOnly }: HeadContext,
): string {
  const { rawHeaders } = request
  const host = forwardedHost(request, site)
  const named = namedHopByHop(request.headers.meaning)
  let lines = request.httpVersion === '2' ? `Host: ${host}\r\n` : ''
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? ''
    const headerClass = classOf(name)
    const value = sentValue(name, rawHeaders[index + 1] ?? '', site)
    if (headerClass === 'host') {
      if (request.httpVersion !== '2') lines += `${name}: ${host}\r\n`
    } else if (named?.has(name.toLowerCase()) || (isPreflight && !ofPreflights(name))) continue
    else if (headerClass === 'user-agent' || headerClass === 'accept') lines += `${name}: ${value}\r\n`
    else if (headerClass === 'pass' || headerClass === 'authorization') {
      if (!knownHeadersOnly || isKnownHeader(name)) lines += `${name}: ${value}\r\n`
    } else if (isAsSent(headerClass)) lines += knownHeadersOnly ? '' : `${name}: ${value}\r\n`
    else if (headerClass === 'expect') lines += expectContinue ? `${name}: 100-continue\r\n` : ''
    // HTTP/2 clients may send a cookie in crumbs; HTTP/1.1 knows one line only (RFC 9113, section 8.2.3).
    else if (headerClass === 'cookie' && request.httpVersion === '2') continue
    else lines += translated(name, headerClass, value, request, { site, peer })
  }
  if (request.httpVersion === '2' && request.cookies.length > 0 && !isPreflight)
    lines += translated('Cookie', 'cookie', request.cookies.join('; '), request, { site, peer })
  return lines
}

/** A body that is to be rewritten must come in a coding that can be undone. */
const sentValue = (name: string, value: string, { rewritesBodies }: TranslatedNames): string =>
  rewritesBodies === true && name.toLowerCase() === 'accept-encoding' ? withKnownCodings(value) : value

const OF_PREFLIGHTS = new Set([
  'accept',
  'accept-encoding',
  'accept-language',
  'access-control-request-headers',
  'access-control-request-method',
  'origin',
  'sec-fetch-dest',
  'sec-fetch-mode',
  'sec-fetch-site',
  'user-agent',
])

/** Whether browsers send such a header with a preflight. */
const ofPreflights = (name: string): boolean => OF_PREFLIGHTS.has(name.toLowerCase())

/** Whether a header was judged, and goes on as it was sent. */
const isAsSent = (headerClass: HeaderClass): boolean =>
  headerClass === 'judged-path' || headerClass === 'judged-method' || headerClass === 'judged-prefix'

/** What `Connection` names, of which nothing goes on; null where it only says whether the connection is kept. */
function namedHopByHop({ connection }: HeaderMeaning): ReadonlySet<string> | null {
  return connection.every((name) => name === 'keep-alive' || name === 'close') ? null : new Set(connection)
}

/** The line for a header that does not pass as it is, empty where it does not pass at all. */
function translated(
  name: string,
  headerClass: HeaderClass,
  value: string,
  request: ReceivedRequest,
  { site, peer }: Pick<HeadContext, 'site' | 'peer'>,
): string {
  switch (headerClass) {
    case 'cookie': {
      const kept = withoutGateCookies(value)
      return kept === '' ? '' : `${name}: ${kept}\r\n`
    }
    case 'origin':
    case 'referer':
      return `${name}: ${toOriginUrl(value, request, site, peer)}\r\n`
    case 'judged-destination': {
      const destination = toOriginDestination(value, request, site)
      return destination === null ? '' : `${name}: ${destination}\r\n`
    }
    case 'te':
      return /(^|,)\s*trailers\s*(,|$)/i.test(value) ? `${name}: trailers\r\n` : ''
    default:
      return ''
  }
}

/** What only a gateway may say about the client. */
function clientLines(request: ReceivedRequest): string {
  const { clientAddress, host, hostPort, secure } = request
  const scheme = secure ? 'https' : 'http'
  const authority = gatedAuthority(request)
  const port = hostPort === '' ? (secure ? '443' : '80') : hostPort
  const node = clientAddress.includes(':') ? `"[${clientAddress}]"` : clientAddress
  return (
    `X-Forwarded-For: ${clientAddress}\r\nX-Forwarded-Host: ${authority}\r\nX-Forwarded-Proto: ${scheme}\r\n` +
    `X-Forwarded-Port: ${port}\r\nForwarded: for=${node};host="${authority}";proto=${scheme}\r\n` +
    `Sallyport-Gated-Name: ${host}\r\n`
  )
}

/** An explicit `Content-Length: 0` means something on POST; it is said again where it was said. */
function sentLength({ method, headers }: ReceivedRequest): boolean {
  return headers.meaning.lengths > 0 && method !== 'GET' && method !== 'HEAD'
}
