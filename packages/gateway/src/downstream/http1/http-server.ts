/** The server for HTTP/1.1, over bare sockets and over the connections that TLS hands over. */
import { createServer, type Server, type Socket } from 'node:net'
import type { TLSSocket } from 'node:tls'
import type { ConnectionLimiter } from '../connections/connection-limiter.ts'
import type { Peer, Proxied } from '../read-request.ts'
import { readInto } from './accepted-socket.ts'
import { type ConnectionServices, Http1Connection } from './http1-connection.ts'
import { keepAliveEnd } from './http1-responder.ts'

export interface HttpServer {
  readonly server: Server
  /** Serves HTTP/1.1 on a connection that TLS has accepted and the limiter has admitted. */
  serveTls(socket: TLSSocket, proxied: Proxied | undefined): Http1Connection
  /** Every connection ends with its next answer from now on. */
  drain(): void
}

/** Makes the server. */
export function createHttpServer(
  limiter: ConnectionLimiter,
  services: Omit<ConnectionServices, 'isDraining' | 'keepAliveEnd'>,
): HttpServer {
  let draining = false
  const parts: ConnectionServices = {
    ...services,
    isDraining: () => draining,
    keepAliveEnd: keepAliveEnd(services.limits.keepAliveTimeoutMs),
  }
  const options = { noDelay: true, allowHalfOpen: true, pauseOnConnect: true }
  const server = createServer(options, (accepted) => {
    const socket = readInto(accepted, (read) => connection.onRead(read))
    const connection = new Http1Connection(socket, peerOf(socket), parts)
    socket.on('close', () => limiter.release(connection))
    limiter.admit(connection)
    socket.resume()
  })
  return {
    server,
    serveTls(socket, proxied) {
      const connection = new Http1Connection(socket, peerOfTls(socket, proxied), parts)
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

const peerOf = (socket: Socket): Peer => ({
  clientAddress: plainAddress(socket),
  secure: false,
  serverName: '',
  tls: '',
})

/** The other end of a TLS connection. */
export const peerOfTls = (socket: TLSSocket, proxied?: Proxied): Peer => ({
  clientAddress: plainAddress(socket),
  secure: true,
  // Of the proxy itself, where each request says whom it is for.
  serverName: proxied?.kind === 'requests' ? '' : socket.servername || '',
  tls: socket.getProtocol() ?? '',
  ...(proxied && { proxied }),
})

/** Where a connection comes from; an IPv4 client of a dual-stack listener as it would be written without it. */
export function plainAddress({ remoteAddress: address = '' }: Socket): string {
  return address.startsWith('::ffff:') ? address.slice(7) : address
}
