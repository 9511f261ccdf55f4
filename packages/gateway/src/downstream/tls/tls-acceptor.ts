/** Handshakes: TLS with the certificate of the name asked for, each when it is its client's turn. */
import type { Server, Socket } from 'node:net'
import { createServer as createHandshakes, type TLSSocket } from 'node:tls'
import type { GatewayLimits } from '../../settings.ts'
import type { Arrival } from '../arrival/arrival.ts'
import type { CreateListener } from '../arrival/arrivals.ts'
import type { LimitedConnection } from '../connections/connection-limiter.ts'
import type { WorkBudget } from '../connections/work-budget.ts'
import type { Certificates } from './certificates.ts'
import { CIPHERS } from './ciphers.ts'
import { TlsConnection } from './tls-connection.ts'

/** What the HTTP/1 server speaks, by its names in ALPN. Some clients of HTTP/1.0 say so, and end where nobody takes it (`curl -0`). */
export const HTTP1_PROTOCOLS: readonly string[] = ['http/1.1', 'http/1.0']

export interface TlsAcceptorServices {
  readonly limits: GatewayLimits
  readonly budget: WorkBudget
  /** By which sessions are resumed that another thread began; keys of its own unless given. */
  readonly ticketKeys?: Buffer | undefined
}

/** Takes a connection that is not read, or no further than what stands before TLS, and begins its handshake in its turn. */
export type TakeConnection = (socket: Socket, arrival: Arrival) => TlsConnection

/** Makes the function that takes connections; `serve` speaks what was negotiated of `protocols`. */
export function createTlsAcceptor(
  certificates: Certificates,
  protocols: readonly string[],
  { limits, budget, ticketKeys }: TlsAcceptorServices,
  serve: (socket: TLSSocket, connection: TlsConnection) => LimitedConnection,
): TakeConnection {
  const connections = new Map<string, TlsConnection>()
  const tls = createHandshakes({
    ALPNProtocols: [...protocols],
    minVersion: 'TLSv1.2',
    ciphers: CIPHERS,
    noDelay: true,
    ...(ticketKeys && { ticketKeys }),
    handshakeTimeout: limits.headTimeoutMs,
    SNICallback: (name, done) => {
      const context = certificates.contextFor(name)
      if (context) done(null, context)
      else done(new Error('no certificate'))
    },
  })
  tls.on('secureConnection', (socket) => {
    const connection = connections.get(endsOf(socket))
    // Its end came between the handshake and this event.
    if (!connection) socket.destroy()
    else connection.useProtocol(serve(socket, connection))
  })
  // A handshake that fails is the client's affair. Of one that takes too long Node says so, and leaves the connection open.
  tls.on('tlsClientError', (_error, socket) => socket.destroy())
  return (socket, arrival) => {
    const ends = endsOf(socket)
    const start = () => tls.emit('connection', socket)
    const connection = new TlsConnection(socket, arrival, budget, start)
    connections.set(ends, connection)
    socket.on('close', () => {
      if (connections.get(ends) === connection) connections.delete(ends)
    })
    return connection
  }
}

/** Makes a listener whose connections begin with TLS. */
export function createTlsServer(createListener: CreateListener, take: TakeConnection): Server {
  // Handshakes cost more than anything else that a stranger can ask for, so each waits for its turn, too.
  return createListener({ noDelay: true }, (socket, arrival) => {
    const connection = take(socket, arrival)
    return {
      connection,
      begin(rest) {
        if (rest.length > 0) socket.unshift(rest)
        connection.open()
      },
    }
  })
}

/** The key by which Node's two sockets of one connection are matched: they share nothing but their ends. */
const endsOf = ({ remoteAddress, remotePort, localAddress, localPort }: Socket): string =>
  `${remoteAddress} ${remotePort} ${localAddress} ${localPort}`
