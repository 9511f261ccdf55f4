/** How a WebSocket handshake ends: the tunnel takes the request's place, and the opening is recorded. */
import { performance } from 'node:perf_hooks'
import type { Exchange } from '../../exchange/exchange.ts'
import type { Responder } from '../../exchange/responder.ts'
import type { OriginConnection } from '../pool/origin-connection.ts'
import type { ForwardServices } from './forward-services.ts'
import { Tunnel } from './tunnel.ts'

/**
 * Answers 101 and returns what records the opening and starts the tunnel, to be called when the request is over; null where the client
 * has gone. `headers` are those of the origin and the gate.
 */
export function openTunnel(
  exchange: Exchange,
  connection: OriginConnection,
  responder: Responder,
  statusText: string,
  headers: readonly string[],
  services: ForwardServices,
): (() => void) | null {
  const { event } = exchange
  const own = ['Connection', 'Upgrade', 'Upgrade', 'websocket', 'Sallyport-Request-Id', event.id]
  const tunnel = new Tunnel(exchange, connection, services)
  const downstream = responder.upgrade(statusText, [...headers, ...own], tunnel)
  if (!downstream) return null
  return () => {
    event.kind = 'websocket_open'
    event.status = 101
    event.outcome = 'origin'
    event.durationUs = Math.round((performance.now() - exchange.startedAt) * 1000)
    services.onEnding(exchange)
    services.recorder.record({ ...event })
    tunnel.start(downstream)
  }
}
