/** The researchers' listener for HTTP/1.1, and what takes the connections that TLS hands over. */
import { createServer, type Server, type Socket } from 'node:net'
import type { TLSSocket } from 'node:tls'
import type { ConnectionLimiter } from '../connections/connection-limiter.ts'
import type { Peer } from '../read-request.ts'
import { readInto } from './accepted-socket.ts'
import { type ConnectionServices, Http1Connection } from './http1-connection.ts'
import { keepAliveEnd } from './http1-responder.ts'

export interface HttpServer {
  readonly server: Server
  /** Speaks HTTP/1.1 on a connection that TLS has accepted, and that has its place. */
  speak(socket: TLSSocket): Http1Connection
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
    const socket = readInto(accepted, (read) => connection.take(read))
    const connection = new Http1Connection(socket, peerOf(socket), parts)
    socket.on('close', () => limiter.release(connection))
    limiter.admit(connection)
    socket.resume()
  })
  return {
    server,
    speak(socket) {
      const connection = new Http1Connection(socket, peerOfTls(socket), parts)
      socket.on('data', (read) => {
        if (!connection.take(read)) socket.pause()
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
export const peerOfTls = (socket: TLSSocket): Peer => ({
  clientAddress: plainAddress(socket),
  secure: true,
  serverName: socket.servername || '',
  tls: socket.getProtocol() ?? '',
})

/** Where a connection comes from; an IPv4 client of a dual-stack listener as it would be written without it. */
export function plainAddress({ remoteAddress: address = '' }: Socket): string {
  return address.startsWith('::ffff:') ? address.slice(7) : address
}
