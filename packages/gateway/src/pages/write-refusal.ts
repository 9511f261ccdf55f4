/** Writes a refusal to the researcher, and into the record why. */
import { READING_CHARS_MAX } from '@sallyport/contract/words'
import { STATUS_CODES } from '@sallyport/toolbox/node-http'
import { asksForPassword } from '../credentials/password-key.ts'
import { type Exchange, type Refusal, type Reply, refuse } from '../exchange/exchange.ts'
import type { Responder } from '../exchange/responder.ts'
import { refusalBody } from './refusal-body.ts'

/** Answers with a refusal. The exchange's record is complete but for its times. */
export function writeRefusal(exchange: Exchange, responder: Responder, found: Refusal): void {
  const { event, request } = exchange
  event.outcome = found.outcome
  event.reason = found.recordedAs || found.reason
  event.rule = found.rule
  event.reading = found.reading.slice(0, READING_CHARS_MAX)
  const refusal = exchange.isForwardedPreflight ? NOBODYS : found
  const { contentType, body } = refusalBody(exchange, refusal)
  const headers = ['Content-Type', contentType, ...OWN_PAGE_HEADERS]
  if (refusal.retryAfterS > 0) headers.push('Retry-After', String(refusal.retryAfterS))
  if (refusal.location !== '') headers.push('Location', refusal.location)
  // Who asks a proxy shows it who they are (RFC 9110, section 15.5.8).
  const status = refusal.status === 401 && request.isAskedOfProxy ? 407 : refusal.status
  if (status === 407) headers.push('Proxy-Authenticate', PROXY_CHALLENGE)
  if (status === 401) headers.push('WWW-Authenticate', challengeOf(exchange))
  headers.push(...exchange.responseHeaders)
  const sent = request.method === 'HEAD' ? null : body
  write(exchange, responder, { status, headers, close: refusal.close }, sent, body.length)
}

/** What the proxy port asks for. */
export const PROXY_CHALLENGE = 'Basic realm="Sallyport"'

/** What strangers are told of whatever is refused: nothing of rules or origins. */
const NOBODYS = refuse(401, 'gate', 'no_credential', { close: true })

/**
 * How a client may show who it is (RFC 9110, section 11.6.1): one way, because some clients make nothing of two (wget 1.21 aborts).
 * The name of a site has nothing in it that needs a quote.
 */
const challengeOf = (exchange: Exchange): string =>
  asksForPassword(exchange) ? `Basic realm="${exchange.request.host}"` : 'Sallyport-Key'

/** Answers with something that the gate itself serves. */
export function writeReply(exchange: Exchange, responder: Responder, reply: Reply): void {
  exchange.event.outcome = 'gate'
  const body = typeof reply.body === 'string' ? Buffer.from(reply.body) : reply.body
  const none = exchange.request.method === 'HEAD' || body.length === 0
  const head = {
    status: reply.status,
    headers: [...reply.headers, ...exchange.responseHeaders],
    close: false,
  }
  write(exchange, responder, head, none ? null : body, body.length)
}

const OWN_PAGE_POLICY =
  "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
const OWN_PAGE_HEADERS = [
  ...['Cache-Control', 'no-store'],
  ...['X-Content-Type-Options', 'nosniff'],
  ...['Content-Security-Policy', OWN_PAGE_POLICY],
  ...['Referrer-Policy', 'no-referrer'],
]

function write(
  exchange: Exchange,
  responder: Responder,
  { status, headers, close }: { status: number; headers: string[]; close: boolean },
  body: Buffer | null,
  length: number,
): void {
  const { event } = exchange
  event.status = status
  event.responseBytes = body?.length ?? 0
  event.firstByteUs = Math.round((performance.now() - exchange.startedAt) * 1000)
  // There is none with this status (RFC 9110, section 8.6).
  if (status !== 204) headers.push('Content-Length', String(length))
  headers.push('Sallyport-Request-Id', event.id)
  responder.writeHead(status, STATUS_CODES[status] ?? '', headers, close)
  responder.end(body, [])
}
