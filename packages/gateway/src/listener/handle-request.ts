/** From a parsed request to its end: read, judge, then answer or forward. The hot path; it touches memory only. */
import type { TLSSocket } from 'node:tls'
import { type ClientRequest, type ClientResponse, isHttp2 } from '../client-answer.ts'
import { Exchange, refuse, type Verdict } from '../exchange.ts'
import { writeRefusal, writeReply } from '../pages/write-refusal.ts'
import { judge, type NamedStage } from '../pipeline.ts'
import { redact } from '../recorder/redact.ts'
import type { SnapshotSource } from '../snapshot/snapshot.ts'
import { Forwarding, type ForwardServices, type UpgradeSocket } from '../upstream/forward.ts'
import { draftEvent } from './draft-event.ts'
import { type Reading, type RequestSource, readRequest } from './read-request.ts'

export interface HandlerServices extends ForwardServices {
  readonly gatewayId: string
  readonly snapshots: SnapshotSource
  readonly stages: readonly NamedStage[]
  /** Told of an error that should not happen. */
  readonly onUnexpected: (error: unknown) => void
}

export type RequestHandler = (
  request: ClientRequest,
  response: ClientResponse,
  upgrade: UpgradeSocket | null,
) => void

/** Makes the handler of requests, for HTTP/1 and HTTP/2. */
export function createRequestHandler(services: HandlerServices): RequestHandler {
  return (request, response, upgrade) => {
    const startedAt = performance.now()
    const source = sourceOf(request, response)
    const reading = readRequest(source, services.limits)
    const tls = source.secure ? ((request.socket as TLSSocket).getProtocol() ?? '') : ''
    const event = draftEvent(reading.request, reading.userAgent, tls, services.gatewayId)
    const exchange = new Exchange(reading.request, services.snapshots.current, event, startedAt)
    if (reading.unreadable) return answerUnreadable(exchange, response, reading, services)
    const verdict = judge(services.stages, exchange)
    const settle = (settled: Verdict): void =>
      conclude(exchange, request, response, upgrade, reading, settled, services)
    if (!(verdict instanceof Promise)) return settle(verdict)
    verdict.then(settle, (error) => {
      services.onUnexpected(error)
      response.destroy()
    })
  }
}

function sourceOf(request: ClientRequest, response: ClientResponse): RequestSource {
  const { socket } = request
  const secure = 'encrypted' in socket
  const http2 =
    isHttp2(response) && 'authority' in request
      ? { authority: request.authority, ended: request.stream.endAfterHeaders }
      : null
  return {
    method: request.method ?? '',
    target: request.url ?? '',
    rawHeaders: http2 ? withoutPseudoHeaders(request.rawHeaders) : request.rawHeaders,
    httpVersion: http2 ? '2' : request.httpVersion === '1.0' ? '1.0' : '1.1',
    secure,
    clientAddress: plainAddress(socket.remoteAddress ?? ''),
    serverName: secure ? serverNameOf(socket as TLSSocket) : '',
    http2,
  }
}

const serverNameOf = (socket: TLSSocket): string => socket.servername || ''

/** An IPv4 client of a dual-stack listener, as it would be written without it. */
const plainAddress = (address: string): string => (address.startsWith('::ffff:') ? address.slice(7) : address)

function withoutPseudoHeaders(rawHeaders: readonly string[]): string[] {
  const headers: string[] = []
  for (let index = 0; index < rawHeaders.length; index += 2)
    if (!rawHeaders[index]?.startsWith(':'))
      headers.push(rawHeaders[index] ?? '', rawHeaders[index + 1] ?? '')
  return headers
}

/** Refused, and the connection closed: what follows on it cannot be trusted to be where it seems. */
function answerUnreadable(
  exchange: Exchange,
  response: ClientResponse,
  reading: Reading,
  services: HandlerServices,
): void {
  const { unreadable } = reading
  const site = exchange.snapshot.siteByHost(exchange.request.host)
  if (site) {
    exchange.event.siteId = site.config.id
    exchange.event.orgId = site.config.orgId
    redact(exchange.event, site, exchange.snapshot)
  }
  finishWith(exchange, response, services)
  const status = unreadable?.status ?? 400
  writeRefusal(
    exchange,
    response,
    refuse(status, 'gate', unreadable?.reason ?? 'malformed_request', { close: true }),
  )
}

function conclude(
  exchange: Exchange,
  request: ClientRequest,
  response: ClientResponse,
  upgrade: UpgradeSocket | null,
  reading: Reading,
  verdict: Verdict,
  services: HandlerServices,
): void {
  const { site, snapshot, event } = exchange
  if (site) redact(event, site, snapshot)
  if (verdict === null && site) {
    const client = { request, response, upgrade, expectsContinue: reading.expectsContinue }
    new Forwarding(exchange, site, client, services).start()
    return
  }
  finishWith(exchange, response, services)
  if (verdict?.kind === 'reply') writeReply(exchange, response, verdict)
  else {
    const refusal = verdict ?? refuse(503, 'gate', 'unknown_host')
    // An unread body would have to be swallowed whole before the connection can be used again.
    const close = refusal.close || reading.request.bodyBytes !== 0
    writeRefusal(exchange, response, close ? { ...refusal, close } : refusal)
  }
}

/** Records the exchange when its answer is out or its connection is gone. */
function finishWith(exchange: Exchange, response: ClientResponse, services: HandlerServices): void {
  response.on('close', () => {
    exchange.event.durationUs = Math.round((performance.now() - exchange.startedAt) * 1000)
    exchange.end()
    services.recorder.record(exchange.event)
    services.onFinished(exchange)
  })
}
