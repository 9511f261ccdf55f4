/** The server for HTTP/1.1, over bare sockets and over the connections that TLS hands over. */
import type { Server } from 'node:net'
import type { TLSSocket } from 'node:tls'
import { type Arrival, peerOf, peerOfTls } from '../arrival/arrival.ts'
import type { CreateListener } from '../arrival/arrivals.ts'
import { readInto } from './accepted-socket.ts'
import { type ConnectionServices, Http1Connection } from './http1-connection.ts'
import { keepAliveEnd } from './http1-responder.ts'

export interface HttpServer {
  readonly server: Server
  /** Serves HTTP/1.1 on a connection that TLS has accepted and the limiter has admitted. */
  serveTls(socket: TLSSocket, arrival: Arrival): Http1Connection
  /** Every connection ends with its next answer from now on. */
  drain(): void
}

/** Makes the server. */
export function createHttpServer(
  createListener: CreateListener,
  services: Omit<ConnectionServices, 'isDraining' | 'keepAliveEnd'>,
): HttpServer {
  let draining = false
  const parts: ConnectionServices = {
    ...services,
    isDraining: () => draining,
    keepAliveEnd: keepAliveEnd(services.limits.keepAliveTimeoutMs),
  }
  const server = createListener({ noDelay: true, allowHalfOpen: true }, (accepted, arrival) => {
    const socket = readInto(accepted, (read) => connection.onRead(read))
    const connection = new Http1Connection(socket, peerOf(arrival), parts)
    return {
      connection,
      begin(rest) {
        if (rest.length === 0 || connection.onRead(rest)) socket.resume()
      },
    }
  })
  return {
    server,
    serveTls(socket, arrival) {
      const connection = new Http1Connection(socket, peerOfTls(socket, arrival), parts)
      socket.on('data', (read) => {
        if (!connection.onRead(read)) socket.pause()
      })
      return connection
    },
    drain() {
      draining = true
    },
  }
}
