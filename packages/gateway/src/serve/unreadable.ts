/**
 * Connections whose bytes are no request that can be framed safely. They are answered once, closed, and recorded: what
 * looks like an attempt at request smuggling must show in the record as much as any other attempt.
 */
import { STATUS_CODES } from 'node:http'
import { REASONS, type Reason } from '@sallyport/contract/words'
import { responseHead } from '@sallyport/http1'
import type { ConnectionServices } from '../downstream/http1/http1-connection.ts'
import type { Peer, Unreadable } from '../downstream/read-request.ts'
import { Exchange, type ReceivedRequest } from '../exchange/exchange.ts'
import { describeGateTarget } from '../gate-host/begin.ts'
import { blockOf } from '../headers/header-block.ts'
import type { Recorder } from '../record/recorder.ts'
import { redact } from '../record/redact.ts'
import type { SnapshotSource } from '../snapshot/snapshot.ts'
import { draftEvent } from './draft-event.ts'

const EXCERPT_BYTES = 2_048
const NO_HEADERS = blockOf([])

export interface UnreadableServices {
  readonly gatewayId: string
  readonly snapshots: SnapshotSource
  readonly recorder: Recorder
  /** Called once with each, after its record was made. */
  readonly onFinished: (exchange: Exchange) => void
}

/** Makes the function that records such a connection and returns what to answer. */
export const createUnreadableHandler =
  (services: UnreadableServices): ConnectionServices['onUnreadable'] =>
  (peer, bytes, why) => {
    recordUnreadable(services, peer, bytes, why)
    return answer(why.status, why.reason)
  }

function answer(status: number, reason: Reason): string {
  const body = `${REASONS[reason]}\n`
  const headers = ['Content-Type', 'text/plain', 'Content-Length', String(body.length), 'Connection', 'close']
  return responseHead(status, STATUS_CODES[status] ?? '', headers) + body
}

/** Says in the record what can be made out of the bytes; a guess, and only that. */
function recordUnreadable(services: UnreadableServices, peer: Peer, bytes: Buffer, why: Unreadable): void {
  const text = bytes.toString('latin1', 0, EXCERPT_BYTES)
  const [, method = '', target = ''] = /^\s*([!-~]{1,32}) +([!-\xff]{1,2000})/.exec(text) ?? []
  const host = /\nhost[ \t]*:[ \t]*([a-z0-9.-]{1,253})/i.exec(text)?.[1]?.toLowerCase() ?? ''
  record(services, peer, { method, target, host, httpVersion: '1.1' }, why, bytes.length)
}

/** Makes the function that records what a connection of HTTP/2 sent that is no request; Node keeps what it was to itself. */
export const createMalformedRecorder =
  (services: UnreadableServices): ((peer: Peer) => void) =>
  (peer) => {
    const known = { method: '', target: '', host: peer.serverName.toLowerCase(), httpVersion: '2' } as const
    record(services, peer, known, { status: 400, reason: 'malformed_request' }, 0)
  }

function record(
  services: UnreadableServices,
  { clientAddress, secure, tls }: Peer,
  known: Pick<ReceivedRequest, 'method' | 'target' | 'host' | 'httpVersion'>,
  { status, reason }: Unreadable,
  requestBytes: number,
): void {
  const request: ReceivedRequest = {
    ...known,
    headers: NO_HEADERS,
    rawHeaders: NO_HEADERS.rawHeaders,
    hostPort: '',
    secure,
    clientAddress,
    bodyBytes: 0,
    websocket: false,
    key: '',
    cookies: [],
    accept: '',
  }
  const event = draftEvent(request, '', tls, services.gatewayId)
  const exchange = new Exchange(request, services.snapshots.current, event, performance.now())
  noteSite(exchange)
  event.status = status
  event.outcome = 'gate'
  event.reason = reason
  event.requestBytes = requestBytes
  services.recorder.record(event)
  services.onFinished(exchange)
}

/** Files the record under the site whose name the request bears, as that site wants it kept. */
export function noteSite({ request, snapshot, event }: Exchange): void {
  if (request.host === snapshot.gate?.host) {
    describeGateTarget(event, request.target)
    return
  }
  const site = snapshot.siteByHost(request.host)
  if (!site) return
  event.siteId = site.config.id
  event.orgId = site.config.orgId
  redact(event, site, snapshot)
}
