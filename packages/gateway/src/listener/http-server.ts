/** The researchers' listener for HTTP/1.1: connections, their limits, and their end. */
import { createServer, type Server, type Socket } from 'node:net'
import type { TLSSocket } from 'node:tls'
import { readInto } from './accepted-socket.ts'
import { keepAliveEnd } from './http1-client.ts'
import { type ConnectionServices, Http1Connection } from './http1-connection.ts'
import type { Peer } from './read-request.ts'

export interface HttpServer {
  readonly server: Server
  /** Takes a connection that TLS has accepted. */
  accept(socket: TLSSocket): void
  /** Ends what has waited for too long. `now` is `performance.now()`; called a few times a second. */
  sweep(now: number): void
  /** Ends idle connections now and the others with their next answer. */
  retire(): void
  destroy(): void
}

/** Makes the server. */
export function createHttpServer(
  services: Omit<ConnectionServices, 'isRetiring' | 'keepAliveEnd'>,
): HttpServer {
  const connections = new Set<Http1Connection>()
  let retiring = false
  const parts: ConnectionServices = {
    ...services,
    isRetiring: () => retiring,
    keepAliveEnd: keepAliveEnd(services.limits.keepAliveTimeoutMs),
  }
  const track = (connection: Http1Connection): Http1Connection => {
    if (connections.size >= services.limits.connectionsMax) makeRoom(connections, connection)
    connections.add(connection)
    connection.socket.on('close', () => connections.delete(connection))
    return connection
  }
  const options = { noDelay: true, allowHalfOpen: true, pauseOnConnect: true }
  const server = createServer(options, (accepted) => {
    const socket = readInto(accepted, (read) => connection.take(read))
    const connection = track(new Http1Connection(socket, peerOf(socket), parts))
    socket.resume()
  })
  return {
    server,
    accept(socket) {
      const connection = track(new Http1Connection(socket, peerOfTls(socket), parts))
      socket.on('data', (read) => {
        if (!connection.take(read)) socket.pause()
      })
    },
    sweep(now) {
      for (const connection of connections) connection.sweep(now)
    },
    retire() {
      retiring = true
      for (const connection of connections) if (connection.idle) connection.destroy()
    },
    destroy() {
      for (const connection of connections) connection.destroy()
    },
  }
}

/**
 * Too many connections cost those that ask for nothing: the oldest that has never sent a whole request goes; where there
 * is none, the oldest between two requests; and where all are at work, the newest.
 */
function makeRoom(connections: Set<Http1Connection>, newest: Http1Connection): void {
  let given = newest
  for (const connection of connections) {
    if (connection.isUnproven) {
      given = connection
      break
    }
    if (given === newest && connection.idle) given = connection
  }
  connections.delete(given)
  given.destroy()
}

const peerOf = (socket: Socket): Peer => ({
  clientAddress: plainAddress(socket.remoteAddress ?? ''),
  secure: false,
  serverName: '',
  tls: '',
})

/** The other end of a TLS connection. */
export const peerOfTls = (socket: TLSSocket): Peer => ({
  clientAddress: plainAddress(socket.remoteAddress ?? ''),
  secure: true,
  serverName: socket.servername || '',
  tls: socket.getProtocol() ?? '',
})

/** An IPv4 client of a dual-stack listener, as it would be written without it. */
const plainAddress = (address: string): string => (address.startsWith('::ffff:') ? address.slice(7) : address)
