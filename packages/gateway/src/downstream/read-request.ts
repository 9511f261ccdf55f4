/**
 * From a head to a `ReceivedRequest`, or to the reason why it cannot be framed safely. The grammar of lines was enforced
 * when the head was parsed (`http1`, or Node for HTTP/2); here it is decided what the parts mean.
 */
import type { Reason } from '@sallyport/contract'
import { ABSOLUTE_FORM, isToken, originFormOf, type ParsedRequestHead } from '@sallyport/http1'
import type { ReceivedRequest } from '../exchange/exchange.ts'
import type { Responder } from '../exchange/responder.ts'
import type { HeaderBlock, HeaderMeaning } from '../headers/header-block.ts'
import type { GatewayLimits } from '../settings.ts'
import type { ForwardedClients, RequestClient } from './arrival/forwarded-client.ts'

/** A parsed request head. */
export interface ReceivedHead extends Omit<ParsedRequestHead<HeaderBlock>, 'httpVersion'> {
  readonly httpVersion: '1.0' | '1.1' | '2'
  /** HTTP/2: `:authority`, whether the request ended with its head, and whether it asks for a WebSocket. */
  readonly http2?: { readonly authority: string; readonly ended: boolean; readonly websocket: boolean }
}

/**
 * How a connection came by the proxy port. `tunnel`: by CONNECT, for one host and with one key, which all of its requests have then.
 * `requests`: each request says in absolute form where it leads, and in `Proxy-Authorization` whose it is.
 */
export type Proxied =
  | { readonly kind: 'tunnel'; readonly host: string; readonly key: string }
  | { readonly kind: 'requests' }

/** The downstream end of a connection, and its TLS parameters. */
export interface Peer {
  readonly clientAddress: string
  readonly secure: boolean
  /** The name that the TLS connection was opened for; empty where there is none. */
  readonly serverName: string
  /** Version of TLS; empty where there is none. */
  readonly tls: string
  /** Absent from a connection to a gated host itself. */
  readonly proxied?: Proxied
  /** Where it is a listed reverse proxy: each request says who asks it. */
  readonly forwarded?: ForwardedClients
}

/** Why a request is refused as unreadable, and with which status. */
export interface Unreadable {
  readonly status: 400 | 408 | 413 | 414 | 421 | 431 | 501
  readonly reason: Extract<
    Reason,
    | 'malformed_request'
    | 'misdirected_request'
    | 'head_too_large'
    | 'body_too_large'
    | 'request_timeout'
    | 'client_aborted'
  >
}

/** What is answered to what cannot be read, and what records it: called once the answer is on its way. */
export interface UnreadAnswer {
  readonly answer: string
  readonly record: () => void
}

/** What a request was read as, with what its connection has to know of it. */
export interface ParsedRequest {
  readonly request: ReceivedRequest
  readonly unreadable: Unreadable | null
  readonly userAgent: string
  readonly expectsContinue: boolean
  /** Whether the client means to use the connection further (RFC 9112, section 9.3). */
  readonly keepsAlive: boolean
}

/** Handles the requests of all connections, whatever their protocol. */
export type RequestHandler = (responder: Responder, parsed: ParsedRequest, peer: Peer) => void

const MALFORMED: Unreadable = { status: 400, reason: 'malformed_request' }
const MISDIRECTED: Unreadable = { status: 421, reason: 'misdirected_request' }

/** Control bytes and raw spaces: a target with one of these cannot be put on a request line safely. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what it looks for
const UNSAFE_TARGET = /[\x00-\x20\x7f]/
const AUTHORITY = /^([a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?)(?::(\d{1,5}))?$/i
const DIGITS = /^\d{1,15}$/
/** A longer method is refused, and recorded up to here. */
export const METHOD_CHARS_MAX = 32

/** Reads a request. Always yields a request, so that what is refused can be recorded too. */
export function readRequest(source: ReceivedHead, peer: Peer, limits: GatewayLimits): ParsedRequest {
  const { method, target, httpVersion, headers } = source
  const { meaning } = headers
  const { proxied } = peer
  const isAskedOfProxy = proxied?.kind === 'requests'
  const client = clientOf(peer, headers.rawHeaders)
  const authority = source.http2 ? source.http2.authority : meaning.host
  const parts = AUTHORITY.exec(authority)
  // Any other upgrade (h2c, for example) is answered as if it had not been asked for.
  const websocket =
    source.http2?.websocket ??
    (httpVersion === '1.1' &&
      method === 'GET' &&
      meaning.upgrade.toLowerCase() === 'websocket' &&
      meaning.connection.includes('upgrade'))
  const request: ReceivedRequest = {
    method,
    target: isAskedOfProxy ? originFormOf(target) : target,
    headers,
    rawHeaders: headers.rawHeaders,
    httpVersion,
    host: (parts?.[1] ?? authority).toLowerCase(),
    hostPort: parts?.[2] ?? '',
    secure: isAskedOfProxy ? /^https:/i.test(target) : client.secure,
    clientAddress: client.clientAddress,
    bodyBytes: bodyBytesOf(source, meaning),
    websocket,
    key: onlyKeyOf(meaning) || keyByProxy(meaning, proxied),
    cookies: meaning.cookies,
    accept: meaning.accept,
    ...(isAskedOfProxy && { isAskedOfProxy }),
    ...(proxied && { isProxied: true }),
  }
  const unreadable =
    (proxied ? whyNotOfProxy(source, request, proxied) : null) ??
    // What follows an upgrade is no body: an announced body could not be distinguished from the new protocol.
    (websocket && (meaning.lengths > 0 || meaning.transferEncodings > 0) ? MALFORMED : null) ??
    whyUnframed(source, meaning) ??
    (parts ? whyMisdirected(source, request, peer.serverName) : MALFORMED) ??
    whyTooLarge(request, limits)
  const expectsContinue = meaning.expect.toLowerCase() === '100-continue' && httpVersion !== '1.0'
  const { userAgent } = meaning
  return { request, unreadable, userAgent, expectsContinue, keepsAlive: keepsConnection(source) }
}

/** Who sends a request with these headers. */
const clientOf = (peer: Peer, rawHeaders: readonly string[]): RequestClient =>
  peer.forwarded ? peer.forwarded.clientOf(rawHeaders, peer) : peer

/** The key of a request; one that brings several is malformed, and none of them counts. */
export const onlyKeyOf = ({ keys, key }: HeaderMeaning): string => (keys === 1 ? key : '')

/** The key that was shown to the proxy; empty where there is none. */
export function keyByProxy({ proxyKey }: HeaderMeaning, proxied: Proxied | undefined): string {
  if (!proxied) return ''
  return proxied.kind === 'tunnel' ? proxied.key : proxyKey
}

/** Whose a request is was settled for its connection or is said once: what says it again must say the same, host and key. */
function whyNotOfProxy(source: ReceivedHead, request: ReceivedRequest, proxied: Proxied): Unreadable | null {
  const { key, passwordKey, proxyAuthorizations, proxyKey } = source.headers.meaning
  const shown = proxied.kind === 'tunnel' ? proxied.key : proxyKey
  if (shown !== '' && [key, passwordKey].some((other) => other !== '' && other !== shown)) return MALFORMED
  if (proxied.kind === 'tunnel') return request.host === proxied.host ? null : MISDIRECTED
  return proxyAuthorizations > 1 || !ABSOLUTE_FORM.test(source.target) ? MALFORMED : null
}

/** Without a word about it, HTTP/1.1 keeps the connection and HTTP/1.0 does not. */
function keepsConnection({ httpVersion, headers }: ReceivedHead): boolean {
  const { connection } = headers.meaning
  if (connection.length === 0) return httpVersion !== '1.0'
  if (connection.includes('close')) return false
  return httpVersion !== '1.0' || connection.includes('keep-alive')
}

function whyUnframed(source: ReceivedHead, found: HeaderMeaning): Unreadable | null {
  if (found.disguised || found.lengths > 1 || found.transferEncodings > 1 || found.keys > 1) return MALFORMED
  // Which of them an origin would have believed, nobody knows.
  if (found.authorizationHoldsKey && found.authorizations > 1) return MALFORMED
  if (found.lengths === 1 && !DIGITS.test(found.length)) return MALFORMED
  if (found.transferEncodings === 1) {
    if (found.lengths > 0 || source.httpVersion !== '1.1') return MALFORMED
    if (found.transferEncoding.toLowerCase() !== 'chunked')
      return { status: 501, reason: 'malformed_request' }
  }
  if (source.http2 && !source.headers.rawHeaders.every(fitsHttp1)) return MALFORMED
  if (source.http2 ? found.hosts > 1 : found.hosts !== 1) return MALFORMED
  if (!isToken(source.method) || source.method.length > METHOD_CHARS_MAX) return MALFORMED
  if (source.method === 'CONNECT') return MALFORMED
  if (source.target === '' || UNSAFE_TARGET.test(source.target)) return MALFORMED
  return null
}

const BEYOND_HTTP1 = /[\0\r\n]|[^\0-\xff]/
/** HTTP/2 frames headers by length; what goes on as HTTP/1.1 must not hold what ends a line there. */
const fitsHttp1 = (text: string): boolean => !BEYOND_HTTP1.test(text)

/** The Host must be the name that TLS was opened for, HTTP/2's authority, and that of an absolute-form target. */
function whyMisdirected(
  source: ReceivedHead,
  request: ReceivedRequest,
  serverName: string,
): Unreadable | null {
  if (serverName !== '' && serverName.toLowerCase() !== request.host) return MISDIRECTED
  const first = source.target.charCodeAt(0)
  if (first === 47 /* slash */) return null
  if (source.target === '*') return source.method === 'OPTIONS' ? null : MALFORMED
  const absolute = ABSOLUTE_FORM.exec(source.target)
  if (!absolute) return MALFORMED
  const parts = AUTHORITY.exec(absolute[1] ?? '')
  return parts?.[1]?.toLowerCase() === request.host ? null : MISDIRECTED
}

function whyTooLarge(request: ReceivedRequest, limits: GatewayLimits): Unreadable | null {
  if (request.target.length > limits.targetBytesMax) return { status: 414, reason: 'head_too_large' }
  if (request.rawHeaders.length > 2 * limits.headersMax) return { status: 431, reason: 'head_too_large' }
  if (request.bodyBytes !== null && request.bodyBytes > limits.bodyBytesMax)
    return { status: 413, reason: 'body_too_large' }
  return null
}

function bodyBytesOf(source: ReceivedHead, found: HeaderMeaning): number | null {
  if (found.transferEncodings > 0 || announcesTrailers(source)) return null
  if (found.lengths > 0) return DIGITS.test(found.length) ? Number(found.length) : 0
  return source.http2 && !source.http2.ended ? null : 0
}

/** HTTP/2 has trailers after every body, HTTP/1.1 after chunks alone: so such a body goes on in chunks, whatever its length. */
const announcesTrailers = ({ http2, headers }: ReceivedHead): boolean =>
  http2?.ended === false && headers.rawHeaders.some((name, index) => index % 2 === 0 && name === 'trailer')
