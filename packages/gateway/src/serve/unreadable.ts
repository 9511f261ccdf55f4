/**
 * Connections whose bytes are no request that can be framed safely. They are answered once, closed, and recorded: what
 * looks like an attempt at request smuggling must show in the record as much as any other attempt.
 */
import { REASONS, type Reason } from '@sallyport/contract/words'
import { httpDate, responseHead } from '@sallyport/http1'
import { STATUS_CODES } from '@sallyport/toolbox/node-http'
import { noteCaller, type Recognizers } from '../credentials/callers.ts'
import {
  keyByProxy,
  onlyKeyOf,
  type Peer,
  type UnreadAnswer,
  type Unreadable,
} from '../downstream/read-request.ts'
import { Exchange, type ReceivedRequest } from '../exchange/exchange.ts'
import { noteSite } from '../exchange/note-site.ts'
import { describeGateTarget } from '../gate-host/begin.ts'
import { blockOf, type HeaderBlock } from '../headers/header-block.ts'
import type { Recorder } from '../record/recorder.ts'
import { finishForSite } from '../record/redact.ts'
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

/** Makes the function that says what to answer to such a connection, and how it is recorded. */
export const createUnreadableHandler =
  (services: UnreadableServices) =>
  (peer: Peer, bytes: Buffer, why: Unreadable): UnreadAnswer => {
    const bytesMax = why.reason === 'request_timeout' ? LATE_BYTES_MAX : services.limits.headBytesMax
    const guess = guessHead(bytes, bytesMax)
    const host = hostOf(guess.headers)
    const sent = { ...guess, host, httpVersion: '1.1', bytes: bytes.length } as const
    const body = `${REASONS[why.reason]}\n`
    const { requestId, record } = unread(services, peer, sent, why, body.length)
    return { answer: answer(why.status, body, requestId), record }
  }

/** The name that a guessed head bears, as far as it can be one. */
const hostOf = ({ meaning }: HeaderBlock): string =>
  /^[a-z0-9.-]{1,253}/i.exec(meaning.host)?.[0].toLowerCase() ?? ''

function answer(status: number, body: string, requestId: string): string {
  const headers = [
    ...['Date', httpDate(Date.now())],
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
    unread(services, peer, sent, { status: 400, reason: 'malformed_request' }, 0).record()
  }

/** Why no tunnel is opened. */
export interface ConnectRefusal {
  readonly status: 400 | 403 | 407
  readonly reason: Extract<
    Reason,
    'malformed_request' | 'no_credential' | 'unknown_credential' | 'unknown_host'
  >
}

/** A tunnel that was refused at the proxy port, to be recorded under whoever asked for it. */
export const refusedConnect = (
  services: UnreadableServices,
  peer: Peer,
  sent: Sent,
  why: ConnectRefusal,
): Unread => unread(services, peer, sent, why, 0)

/** What is known of something that is no request. */
export interface Sent
  extends Pick<ReceivedRequest, 'method' | 'target' | 'host' | 'httpVersion' | 'headers'> {
  readonly bytes: number
}

/** What is answered with the id of a record that is made afterwards. */
interface Unread extends Pick<UnreadAnswer, 'record'> {
  readonly requestId: string
}

/** The record of it as far as it is known, with how it is answered. */
function unread(
  services: UnreadableServices,
  { clientAddress, secure, tls, proxied }: Peer,
  { method, target, host, httpVersion, headers, bytes }: Sent,
  { status, reason }: Unreadable | ConnectRefusal,
  responseBytes: number,
): Unread {
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
  return {
    requestId: event.id,
    record() {
      services.onEnding(exchange)
      finishForSite(exchange)
      services.recorder.record(event)
      services.onFinished(exchange)
    },
  }
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
