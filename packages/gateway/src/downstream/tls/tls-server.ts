/**
 * HTTPS: TLS with the certificate of the name asked for, then HTTP/2 or HTTP/1.1 by what was negotiated. Both speak to
 * the same handler, and count against the limit of connections from before the handshake on.
 */
import {
  createServer as createHttp2Server,
  type Http2ServerRequest,
  type Http2ServerResponse,
  type Http2Session,
} from 'node:http2'
import type { Server, Socket } from 'node:net'
import type { TLSSocket } from 'node:tls'
import { type Arrival, peerOfTls } from '../arrival/arrival.ts'
import type { CreateListener } from '../arrival/arrivals.ts'
import type { HttpServer } from '../http1/http-server.ts'
import { DenseAddresses } from '../http2/dense-addresses.ts'
import { Http2Connection, type Http2Services, STREAMS_PER_CONNECTION_MAX } from '../http2/http2-connection.ts'
import { Http2Responder, headOf } from '../http2/http2-responder.ts'
import { SlicedReads } from '../http2/sliced-reads.ts'
import { UploadWindows } from '../http2/upload-windows.ts'
import { type Peer, type RequestHandler, readRequest } from '../read-request.ts'
import type { Certificates } from './certificates.ts'
import {
  createTlsAcceptor,
  createTlsServer,
  HTTP1_PROTOCOLS,
  type TlsAcceptorServices,
} from './tls-acceptor.ts'
import type { TlsConnection } from './tls-connection.ts'

/** Frames that cost their stream alone; one more of them, and the session ends. */
const INVALID_FRAMES_MAX = 16

export interface TlsServices
  extends Omit<Http2Services, 'windows' | 'onMalformed' | 'onDense' | 'isDense'>,
    TlsAcceptorServices {
  readonly handle: RequestHandler
  /** A connection of HTTP/2 sent something that is no request: to be recorded. */
  readonly onMalformed: (peer: Peer) => void
}

/** The listener, and the way in for connections that another listener has accepted. */
export interface TlsListener {
  readonly server: Server
  /** Takes a connection on which a tunnel was opened; the limiter knows it already. */
  readonly takeTunnel: (socket: Socket, arrival: Arrival) => TlsConnection
}

/** Makes the listener; `http` speaks HTTP/1.1 where that was negotiated. */
export function createTlsListener(
  certificates: Certificates,
  createListener: CreateListener,
  http: HttpServer,
  services: TlsServices,
): TlsListener {
  const openSession = createSessions(services)
  const take = createTlsAcceptor(certificates, ['h2', ...HTTP1_PROTOCOLS], services, (socket, connection) =>
    socket.alpnProtocol === 'h2'
      ? openSession(socket, connection)
      : http.serveTls(socket, connection.arrival),
  )
  return { server: createTlsServer(createListener, take), takeTunnel: take }
}

/** Makes the function that speaks HTTP/2 on a connection. */
function createSessions(
  services: TlsServices,
): (socket: TLSSocket, connection: TlsConnection) => Http2Connection {
  const { limits, handle } = services
  const http2 = createHttp2Server({
    settings: {
      maxConcurrentStreams: STREAMS_PER_CONNECTION_MAX,
      maxHeaderListSize: limits.headBytesMax,
      // WebSocket over HTTP/2 (RFC 8441).
      enableConnectProtocol: true,
    },
    // What is over the limit by less than this we refuse ourselves: with a reason, and recorded under who sent it.
    maxHeaderListPairs: 2 * limits.headersMax + 8,
    // An answer's head beyond this ends the connection. Translated, it may be longer than it was.
    maxSendHeaderBlockLength: 2 * limits.originHeadBytesMax,
    maxSessionInvalidFrames: INVALID_FRAMES_MAX,
    // An origin may send twice what is to come once: what clients make of that is theirs to say.
    strictSingleValueFields: false,
  })
  const opened = new WeakMap<Http2Session, Http2Connection>()
  const onRequest = (request: Http2ServerRequest, response: Http2ServerResponse): void => {
    const { session } = request.stream
    const connection = session && opened.get(session)
    // Bytes that end the session may arrive in one read with a request before them: nobody is left to be answered.
    if (!connection) return
    const { peer } = connection
    const responder = new Http2Responder(request, response, connection)
    connection.serve(() => {
      const parsed = readRequest(headOf(request), peer, limits)
      connection.locate(parsed.request.clientAddress)
      handle(responder, parsed, peer)
    })
  }
  http2.on('request', onRequest)
  http2.on('checkContinue', onRequest)
  // Node would answer these itself, and nobody would record them.
  http2.on('checkExpectation', onRequest)
  http2.on('connect', onRequest)
  const dense = new DenseAddresses()
  const windows = new UploadWindows()
  return (socket, { pausable, arrival }) => {
    const peer = peerOfTls(socket, arrival)
    const { clientAddress } = peer
    const sliced = dense.has(clientAddress, performance.now()) ? new SlicedReads(socket, pausable) : null
    let connection: Http2Connection | null = null
    http2.once('session', (session) => {
      const spoken = new Http2Connection(session, sliced ?? pausable, peer, {
        ...services,
        windows,
        onMalformed: () => services.onMalformed(peer),
        isDense: sliced !== null,
        onDense: () => dense.add(clientAddress, performance.now()),
      })
      if (sliced) sliced.onSlice = (tookMs) => spoken.noteSlice(tookMs)
      connection = spoken
      opened.set(session, spoken)
      // Protocol errors end the session; Node has answered them. Others are the connection's end, or sent by the client.
      session.on('error', (error: NodeJS.ErrnoException) => {
        if (!PROTOCOL_ERRORS.has(error.code ?? '')) return
        spoken.notePenalty()
        services.onMalformed(peer)
      })
      // Before Node's own listener, after which nothing can be asked of the session.
      const stream = sliced ?? socket
      stream.prependListener('end', () => spoken.noteRefusedStreams())
    })
    // The session is made within this call.
    http2.emit('connection', sliced ?? socket)
    if (connection === null) throw new Error('no HTTP/2 session was made')
    return connection
  }
}

/** Errors of a session for which its client is to blame. */
const PROTOCOL_ERRORS = new Set(['ERR_HTTP2_ERROR', 'ERR_HTTP2_TOO_MANY_INVALID_FRAMES'])
