/**
 * Connections whose bytes are no request that can be framed safely. They are answered once, closed, and recorded: what
 * looks like an attempt at request smuggling must show in the record as much as any other attempt.
 */
import { STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import type { TLSSocket } from 'node:tls'
import { REASONS, type Reason } from '@sallyport/contract'
import { headText } from '../client-answer.ts'
import type { EventDraft, ReceivedRequest } from '../exchange.ts'
import { refuse } from '../exchange.ts'
import { redact } from '../recorder/redact.ts'
import type { SnapshotSource } from '../snapshot/snapshot.ts'
import { Forwarding, type ForwardServices } from '../upstream/forward.ts'
import { draftEvent } from './draft-event.ts'

type ParseError = Error & { code?: string; rawPacket?: Buffer }

const EXCERPT_BYTES = 2_048

export interface UnreadableServices extends ForwardServices {
  readonly gatewayId: string
  readonly snapshots: SnapshotSource
}

/** Makes the handler of such connections. */
export function createUnreadableHandler(
  services: UnreadableServices,
): (error: ParseError, socket: Socket) => void {
  return (error, socket) => {
    if (error.code === 'ECONNRESET' || socket.destroyed) return void socket.destroy()
    const [status, reason] = meaningOf(error)
    const running = findRunning(services, socket)
    // The record of a request that is under way says that it broke; otherwise there is none yet.
    if (running) running.breakOff(refuse(status, 'gate', reason, { close: true }))
    else recordUnreadable(services, socket, error.rawPacket, status, reason)
    if (socket.writable && !running) socket.end(answer(status, reason), 'latin1')
    socket.destroySoon()
  }
}

function meaningOf(error: ParseError): [number, Reason] {
  switch (error.code) {
    case 'HPE_HEADER_OVERFLOW':
      return [431, 'head_too_large']
    case 'HPE_CHUNK_EXTENSIONS_OVERFLOW':
      return [413, 'body_too_large']
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return [408, 'request_timeout']
    default:
      return [400, 'malformed_request']
  }
}

function findRunning(services: UnreadableServices, socket: Socket): Forwarding | null {
  for (const live of services.live.all()) if (live instanceof Forwarding && live.isOn(socket)) return live
  return null
}

function answer(status: number, reason: Reason): string {
  const body = `${REASONS[reason]}\n`
  const headers = ['Content-Type', 'text/plain', 'Content-Length', String(body.length), 'Connection', 'close']
  return headText(status, STATUS_CODES[status] ?? '', headers) + body
}

/** Says in the record what can be made out of the bytes; a guess, and only that. */
function recordUnreadable(
  services: UnreadableServices,
  socket: Socket,
  packet: Buffer | undefined,
  status: number,
  reason: Reason,
): void {
  const text = packet?.toString('latin1', 0, EXCERPT_BYTES) ?? ''
  const [, method = '', target = ''] = /^\s*([!-~]{1,32}) +([!-\xff]{1,2000})/.exec(text) ?? []
  const host = /\nhost[ \t]*:[ \t]*([a-z0-9.-]{1,253})/i.exec(text)?.[1]?.toLowerCase() ?? ''
  const request: ReceivedRequest = {
    method,
    target,
    rawHeaders: [],
    httpVersion: '1.1',
    host,
    hostPort: '',
    secure: 'encrypted' in socket,
    clientAddress: (socket.remoteAddress ?? '').replace(/^::ffff:/, ''),
    bodyBytes: 0,
    websocket: false,
    key: '',
    cookies: [],
    accept: '',
  }
  const tls = 'encrypted' in socket ? ((socket as TLSSocket).getProtocol() ?? '') : ''
  const event: EventDraft = draftEvent(request, '', tls, services.gatewayId)
  const snapshot = services.snapshots.current
  const site = snapshot.siteByHost(host)
  if (site) {
    event.siteId = site.config.id
    event.orgId = site.config.orgId
    redact(event, site, snapshot)
  }
  event.status = status
  event.outcome = 'gate'
  event.reason = reason
  event.requestBytes = packet?.length ?? 0
  services.recorder.record(event)
}
