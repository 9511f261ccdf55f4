/**
 * HTTPS: TLS with the certificate of the name asked for, then HTTP/2 or HTTP/1.1 by what was negotiated. Both speak to
 * the same handler, and have their places among all connections from before the handshake on.
 */
import {
  createServer as createHttp2Server,
  type Http2ServerRequest,
  type Http2ServerResponse,
} from 'node:http2'
import type { Socket } from 'node:net'
import { createServer as createTlsServer, type TLSSocket, type Server as TlsServer } from 'node:tls'
import type { GatewayLimits } from '../settings.ts'
import type { Certificates } from './certificates.ts'
import type { RequestHandler } from './handle-request.ts'
import { type HttpServer, peerOfTls } from './http-server.ts'
import { Http2Client, headOf } from './http2-client.ts'
import { Http2Connection } from './http2-connection.ts'
import type { Places } from './places.ts'
import { readRequest } from './read-request.ts'
import { TlsConnection } from './tls-connection.ts'

const STREAMS_PER_CONNECTION_MAX = 128

/** Makes the listener; `http` speaks HTTP/1.1 where that was negotiated. */
export function createTlsListener(
  certificates: Certificates,
  places: Places,
  http: HttpServer,
  handle: RequestHandler,
  limits: GatewayLimits,
): TlsServer {
  const openSession = createSessions(limits, handle)
  const connections = new Map<string, TlsConnection>()
  const server = createTlsServer({
    ALPNProtocols: ['h2', 'http/1.1'],
    minVersion: 'TLSv1.2',
    noDelay: true,
    handshakeTimeout: limits.headTimeoutMs,
    SNICallback: (name, done) => {
      const context = certificates.contextFor(name)
      if (context) done(null, context)
      else done(new Error('no certificate'))
    },
  })
  server.on('connection', (socket) => {
    const ends = endsOf(socket)
    const connection = new TlsConnection(socket)
    connections.set(ends, connection)
    socket.on('close', () => {
      if (connections.get(ends) === connection) connections.delete(ends)
      places.leave(connection)
    })
    places.take(connection)
  })
  server.on('secureConnection', (socket) => {
    const connection = connections.get(endsOf(socket))
    // Its end came between the handshake and this event.
    if (!connection) socket.destroy()
    else connection.speak(socket.alpnProtocol === 'h2' ? openSession(socket) : http.speak(socket))
  })
  // A handshake that fails is the client's affair; the connection is gone already.
  server.on('tlsClientError', () => {})
  return server
}

/** What Node's two sockets of one connection have in common: nothing else tells which belongs to which. */
const endsOf = ({ remoteAddress, remotePort, localAddress, localPort }: Socket): string =>
  `${remoteAddress} ${remotePort} ${localAddress} ${localPort}`

/** Makes the function that speaks HTTP/2 on a connection. */
function createSessions(
  limits: GatewayLimits,
  handle: RequestHandler,
): (socket: TLSSocket) => Http2Connection {
  const http2 = createHttp2Server({
    settings: { maxConcurrentStreams: STREAMS_PER_CONNECTION_MAX, maxHeaderListSize: limits.headBytesMax },
    maxHeaderListPairs: limits.headersMax + 8,
    // An answer's head beyond this ends the connection. Translated, it may be longer than it was.
    maxSendHeaderBlockLength: 2 * limits.originHeadBytesMax,
  })
  const take = (request: Http2ServerRequest, response: Http2ServerResponse): void => {
    // Bytes that end the session may arrive in one read with a request before them: nobody is left to be answered.
    if (!request.stream.session) return
    // The session's socket stands behind a proxy that shows what identifies the connection.
    const peer = peerOfTls(request.socket as TLSSocket)
    handle(new Http2Client(request, response), readRequest(headOf(request), peer, limits), peer)
  }
  http2.on('request', take)
  http2.on('checkContinue', take)
  // Node would answer these itself, and nobody would record them.
  http2.on('checkExpectation', take)
  http2.on('connect', take)
  // Protocol errors end the session; node has answered them.
  http2.on('sessionError', () => {})
  return (socket) => {
    let opened: Http2Connection | null = null
    http2.once('session', (session) => (opened = new Http2Connection(session, limits)))
    // The session is made within this call.
    http2.emit('connection', socket)
    if (opened === null) throw new Error('no HTTP/2 session was made')
    return opened
  }
}
