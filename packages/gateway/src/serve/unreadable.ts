/**
 * Connections whose bytes are no request that can be framed safely. They are answered once, closed, and recorded: what
 * looks like an attempt at request smuggling must show in the record as much as any other attempt.
 */
import { STATUS_CODES } from 'node:http'
import { REASONS, type Reason } from '@sallyport/contract/words'
import { responseHead } from '@sallyport/http1'
import { noteCaller, type Recognizers } from '../credentials/callers.ts'
import type { ConnectionServices } from '../downstream/http1/http1-connection.ts'
import { keyByProxy, onlyKeyOf, type Peer, type Unreadable } from '../downstream/read-request.ts'
import { Exchange, type ReceivedRequest } from '../exchange/exchange.ts'
import { noteSite } from '../exchange/note-site.ts'
import { describeGateTarget } from '../gate-host/begin.ts'
import { blockOf, type HeaderBlock } from '../headers/header-block.ts'
import type { Recorder } from '../record/recorder.ts'
import { redactForSite } from '../record/redact.ts'
import type { SnapshotSource } from '../snapshot/snapshot.ts'
import { draftEvent } from './draft-event.ts'
import { guessHead } from './guess-head.ts'

const NO_HEADERS = blockOf([])
/** Of a head that is late no more is looked at: very many may be late at the same time, and it is nobody's turn then. */
const LATE_BYTES_MAX = 8 * 1024

export interface UnreadableServices {
  readonly gatewayId: string
  readonly limits: { readonly headBytesMax: number }
  readonly snapshots: SnapshotSource
  /** Know who sends what; a request that cannot be read is its sender's all the same. */
  readonly recognizers: Recognizers
  readonly recorder: Recorder
  /** Called once with each, before its record is made. */
  readonly onEnding: (exchange: Exchange) => void
  /** Called once with each, after its record was made. */
  readonly onFinished: (exchange: Exchange) => void
}

/** Makes the function that records such a connection and returns what to answer. */
export const createUnreadableHandler =
  (services: UnreadableServices): ConnectionServices['onUnreadable'] =>
  (peer, bytes, why) => {
    const bytesMax = why.reason === 'request_timeout' ? LATE_BYTES_MAX : services.limits.headBytesMax
    const guess = guessHead(bytes, bytesMax)
    const host = hostOf(guess.headers)
    const sent = { ...guess, host, httpVersion: '1.1', bytes: bytes.length } as const
    const body = `${REASONS[why.reason]}\n`
    return answer(why.status, body, record(services, peer, sent, why, body.length))
  }

/** The name that a guessed head bears, as far as it can be one. */
const hostOf = ({ meaning }: HeaderBlock): string =>
  /^[a-z0-9.-]{1,253}/i.exec(meaning.host)?.[0].toLowerCase() ?? ''

function answer(status: number, body: string, requestId: string): string {
  const headers = [
    ...['Content-Type', 'text/plain'],
    ...['Content-Length', String(body.length)],
    ...['Sallyport-Request-Id', requestId],
    ...['Connection', 'close'],
  ]
  return responseHead(status, STATUS_CODES[status] ?? '', headers) + body
}

/** Makes the function that records what a connection of HTTP/2 sent that is no request; Node keeps what it was to itself. */
export const createMalformedRecorder =
  (services: UnreadableServices): ((peer: Peer) => void) =>
  (peer) => {
    const host = peer.serverName.toLowerCase()
    const sent = { method: '', target: '', host, httpVersion: '2', headers: NO_HEADERS, bytes: 0 } as const
    record(services, peer, sent, { status: 400, reason: 'malformed_request' }, 0)
  }

/** Why no tunnel is opened. */
export interface ConnectRefusal {
  readonly status: 400 | 403 | 407
  readonly reason: Extract<
    Reason,
    'malformed_request' | 'no_credential' | 'unknown_credential' | 'unknown_host'
  >
}

/** Records a tunnel that was refused at the proxy port, under whoever asked for it. Returns the id of the record. */
export const recordConnect = (
  services: UnreadableServices,
  peer: Peer,
  sent: Sent,
  why: ConnectRefusal,
): string => record(services, peer, sent, why, 0)

/** What is known of something that is no request. */
export interface Sent
  extends Pick<ReceivedRequest, 'method' | 'target' | 'host' | 'httpVersion' | 'headers'> {
  readonly bytes: number
}

/** Records it as far as it is known, with how it is answered. Returns the id of the record. */
function record(
  services: UnreadableServices,
  { clientAddress, secure, tls, proxied }: Peer,
  { method, target, host, httpVersion, headers, bytes }: Sent,
  { status, reason }: Unreadable | ConnectRefusal,
  responseBytes: number,
): string {
  const { meaning, rawHeaders } = headers
  const request: ReceivedRequest = {
    ...{ method, target, host, httpVersion, headers, rawHeaders, secure, clientAddress },
    hostPort: '',
    bodyBytes: 0,
    websocket: false,
    key: onlyKeyOf(meaning) || keyByProxy(meaning, proxied),
    cookies: meaning.cookies,
    accept: '',
  }
  const event = draftEvent(request, meaning.userAgent, tls, services.gatewayId)
  const exchange = new Exchange(request, services.snapshots.current, event, performance.now())
  fileUnread(exchange, services.recognizers)
  event.status = status
  event.outcome = 'gate'
  event.reason = reason
  event.requestBytes = bytes
  event.responseBytes = responseBytes
  services.onEnding(exchange)
  redactForSite(exchange)
  services.recorder.record(event)
  services.onFinished(exchange)
  return event.id
}

/**
 * Files the record under the site whose name the request bears, and under who sent it. Nothing of the request was judged: this is for the
 * record of a refusal alone, from which what the site does not want kept is still to be taken.
 */
export function fileUnread(exchange: Exchange, recognizers: Recognizers): void {
  const { request, snapshot, event } = exchange
  if (request.host === snapshot.gate?.host) {
    describeGateTarget(event, request.target)
    noteCaller(exchange, recognizers.gate)
    return
  }
  const site = snapshot.siteByHost(request.host)
  if (site) noteSite(exchange, site)
  noteCaller(exchange, recognizers.gated)
}
