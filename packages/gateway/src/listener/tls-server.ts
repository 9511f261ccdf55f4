/**
 * HTTPS: TLS with the certificate of the name asked for, then HTTP/2 or HTTP/1.1 by what was negotiated. Both speak to
 * the same handler; HTTP/1.1 connections are given to the plain listener's server, so its limits are theirs too.
 */
import {
  createServer as createHttp2Server,
  type Http2Server,
  type Http2ServerRequest,
  type Http2ServerResponse,
  type ServerHttp2Session,
} from 'node:http2'
import { createServer as createTlsServer, type TLSSocket, type Server as TlsServer } from 'node:tls'
import type { GatewayLimits } from '../settings.ts'
import type { Certificates } from './certificates.ts'
import type { RequestHandler } from './handle-request.ts'
import { type HttpServer, peerOfTls } from './http-server.ts'
import { Http2Client, headOf } from './http2-client.ts'
import { readRequest } from './read-request.ts'

export interface TlsListener {
  readonly server: TlsServer
  /** Tells HTTP/2 clients to open no more streams; ends those connections that have none. */
  retire(): void
  /** Ends every HTTP/2 connection at once. */
  destroy(): void
}

const STREAMS_PER_CONNECTION_MAX = 128

/** Makes the listener; `http` is the server that HTTP/1.1 connections go to. */
export function createTlsListener(
  certificates: Certificates,
  http: HttpServer,
  handle: RequestHandler,
  limits: GatewayLimits,
): TlsListener {
  const sessions = new Set<ServerHttp2Session>()
  const http2 = createSessions(limits, handle, sessions)
  const server = createTlsServer({
    ALPNProtocols: ['h2', 'http/1.1'],
    minVersion: 'TLSv1.2',
    handshakeTimeout: limits.headTimeoutMs,
    SNICallback: (name, done) => {
      const context = certificates.contextFor(name)
      if (context) done(null, context)
      else done(new Error('no certificate'))
    },
  })
  server.maxConnections = limits.connectionsMax
  server.on('secureConnection', (socket) => {
    if (socket.alpnProtocol === 'h2') http2.emit('connection', socket)
    else http.accept(socket)
  })
  // A handshake that fails is the client's affair; the connection is gone already.
  server.on('tlsClientError', () => {})
  return {
    server,
    retire: () => {
      for (const session of sessions) session.close()
    },
    destroy: () => {
      for (const session of sessions) session.destroy()
    },
  }
}

function createSessions(
  limits: GatewayLimits,
  handle: RequestHandler,
  sessions: Set<ServerHttp2Session>,
): Http2Server {
  const http2 = createHttp2Server({
    settings: { maxConcurrentStreams: STREAMS_PER_CONNECTION_MAX, maxHeaderListSize: limits.headBytesMax },
    maxHeaderListPairs: limits.headersMax + 8,
  })
  const take = (request: Http2ServerRequest, response: Http2ServerResponse): void => {
    // The session's socket stands behind a proxy that shows what identifies the connection.
    const peer = peerOfTls(request.socket as TLSSocket)
    handle(new Http2Client(request, response), readRequest(headOf(request), peer, limits), peer)
  }
  http2.on('request', take)
  http2.on('checkContinue', take)
  http2.on('session', (session) => {
    sessions.add(session)
    session.on('close', () => sessions.delete(session))
    session.setTimeout(limits.keepAliveTimeoutMs, () => session.close())
  })
  // Protocol errors end the session; node has answered them.
  http2.on('sessionError', () => {})
  return http2
}
