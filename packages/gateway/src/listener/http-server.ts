/** The researchers' listener for HTTP/1.1: Node's own parser at its strictest, and our limits. */
import { createServer, type IncomingMessage, type Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { GatewayLimits } from '../settings.ts'
import type { RequestHandler } from './handle-request.ts'

export interface HttpServerOptions {
  readonly limits: GatewayLimits
  readonly handle: RequestHandler
  /** A connection whose bytes could not be read as a request, or that was too slow. Answers and closes it. */
  readonly onUnreadable: (error: Error & { code?: string; rawPacket?: Buffer }, socket: Socket) => void
}

/** How often Node looks for requests whose head is late. */
const LATE_HEAD_CHECK_MS = 1_000

/** Makes the server; connections may also be given to it by emitting `connection` (TLS does). */
export function createHttpServer({ limits, handle, onUnreadable }: HttpServerOptions): Server {
  const server = createServer({
    insecureHTTPParser: false,
    requireHostHeader: true,
    maxHeaderSize: limits.headBytesMax,
    headersTimeout: limits.headTimeoutMs,
    // Bodies may take as long as they keep coming; silence in them is ended by the sweep of live exchanges.
    requestTimeout: 0,
    keepAliveTimeout: limits.keepAliveTimeoutMs,
    connectionsCheckingInterval: LATE_HEAD_CHECK_MS,
    noDelay: true,
    joinDuplicateHeaders: false,
    rejectNonStandardBodyWrites: false,
    // Any other upgrade (h2c, for example) is answered as if it had not been asked for.
    shouldUpgradeCallback: (request) => request.headers.upgrade?.toLowerCase() === 'websocket',
  })
  // Zero means that none is cut off: more than the limit is refused, not silently shortened.
  server.maxHeadersCount = 0
  server.maxConnections = limits.connectionsMax
  server.timeout = 0
  server.on('request', (request, response) => handle(request, response, null))
  server.on('checkContinue', (request, response) => handle(request, response, null))
  server.on('checkExpectation', (request, response) => handle(request, response, null))
  server.on('upgrade', (request: IncomingMessage, socket: Socket, head: Buffer) =>
    handle(request, responseFor(request, socket), { socket, head }),
  )
  server.on('connect', (request: IncomingMessage, socket: Socket) =>
    handle(request, responseFor(request, socket), null),
  )
  server.on('clientError', (error, socket) => onUnreadable(error, socket as Socket))
  return server
}

/** Node makes no response object for upgrades; one is wanted for the case that the answer is an ordinary one. */
function responseFor(request: IncomingMessage, socket: Socket): ServerResponse {
  const response = new ServerResponse(request)
  response.shouldKeepAlive = false
  response.assignSocket(socket)
  socket.on('error', () => socket.destroy())
  // For ordinary requests the server does this; an upgraded socket is not the server's any more.
  socket.on('close', () => response.emit('close'))
  response.on('finish', () => {
    response.detachSocket(socket)
    socket.destroySoon()
  })
  return response
}
