/** The responder of one HTTP/2 stream, over Node's own HTTP/2. */
import {
  constants,
  type Http2ServerRequest,
  type Http2ServerResponse,
  type OutgoingHttpHeaders,
  type ServerHttp2Stream,
} from 'node:http2'
import type { BodyHandler } from '@sallyport/http1'
import type { DownstreamTunnel, Responder, ResponderOwner, TunnelSink } from '../../exchange/responder.ts'
import { blockOf } from '../../headers/header-block.ts'
import type { ReceivedHead } from '../read-request.ts'
import { closeOnceSent } from './close-stream.ts'
import type { Http2Connection } from './http2-connection.ts'
import { asksForWebSocket, Http2Tunnel, withWebSocketKey } from './http2-tunnel.ts'

/** The head of a stream's request. One for a WebSocket is what it would be over HTTP/1.1, so that it is judged by the same rules. */
export function headOf(request: Http2ServerRequest): ReceivedHead {
  const { method, authority, url } = request
  const ended = request.stream.endAfterHeaders
  const headers = withoutPseudoHeaders(request.rawHeaders)
  const websocket = !ended && asksForWebSocket(request)
  return {
    method: websocket ? 'GET' : method,
    // CONNECT by itself has no path.
    target: method === 'CONNECT' && !websocket ? authority : url,
    httpVersion: '2',
    headers: blockOf(websocket ? withWebSocketKey(headers) : headers),
    http2: { authority, ended: ended || websocket, websocket },
  }
}

export class Http2Responder implements Responder {
  readonly #request: Http2ServerRequest
  readonly #response: Http2ServerResponse
  readonly #connection: Http2Connection
  #handler: BodyHandler | null = null
  /** Parts of the body that have arrived and were not delivered yet, and whether the last one is among them. */
  #held: Buffer[] = []
  #bodyEnded = false
  #bodyPaused = false
  /** Something was delivered in this turn of the event loop. */
  #holds = false
  #closed = false
  #ended = false
  #bodiless = false
  /** The head of the answer until it leaves. */
  #head: { readonly status: number; readonly headers: OutgoingHttpHeaders } | null = null
  readonly #websocket: boolean
  #tunnel: Http2Tunnel | null = null
  owner: ResponderOwner | null = null
  requestEnded: boolean
  readonly ownsBody = true

  constructor(request: Http2ServerRequest, response: Http2ServerResponse, connection: Http2Connection) {
    this.#request = request
    this.#response = response
    this.#connection = connection
    this.requestEnded = request.stream.endAfterHeaders
    this.#websocket = asksForWebSocket(request)
    keepOpen(request.stream)
    response.on('drain', () => {
      if (this.#tunnel) this.#tunnel.onDrain()
      else this.owner?.onDownstreamDrain()
    })
    response.on('close', () => {
      this.#closed = true
      this.#tunnel?.onClosed()
      this.owner?.onDownstreamClosed()
    })
  }

  // Node finishes what its client resets, too.
  get answered(): boolean {
    return this.#ended && this.#response.writableFinished
  }
  get gone(): boolean {
    return this.#closed
  }

  identify(researcherId: string): void {
    this.#connection.identify(researcherId)
  }
  charge(ms: number): void {
    this.#connection.charge(ms)
  }
  // Node sends no other; and to who asks for a WebSocket any 2xx would say that it is open.
  carries(status: number): boolean {
    return status <= 599 && !(this.#websocket && status >= 200 && status < 300)
  }
  writeInformation(status: number, _statusText: string, rawHeaders: readonly string[]): void {
    const { stream, headersSent } = this.#response
    if (!stream.destroyed && !headersSent)
      this.#attempt(() => stream.additionalHeaders({ ...headersOf(rawHeaders), ':status': status }))
  }
  writeHead(status: number, _statusText: string, rawHeaders: readonly string[], close: boolean): void {
    if (close) this.#connection.noteRefusal()
    this.#bodiless = BODILESS.has(status)
    const headers = headersOf(rawHeaders)
    // What it announces will not come: there is none with this status (RFC 9110, section 15.3.6).
    if (status === 205) delete headers['content-length']
    this.#head = { status, headers }
  }
  flushHead(): void {
    const head = this.#head
    this.#head = null
    if (head) this.#attempt(() => this.#response.writeHead(head.status, head.headers))
  }
  write(chunk: Buffer): boolean {
    this.flushHead()
    return this.#bodiless || this.#response.write(Buffer.from(chunk))
  }
  end(last: Buffer | null, rawTrailers: readonly string[]): void {
    this.#ended = true
    const isEmpty = (last === null || this.#bodiless) && rawTrailers.length === 0
    if (!isEmpty) this.flushHead()
    this.#attempt(() => {
      this.#prepareWhole()
      if (rawTrailers.length > 0) this.#response.addTrailers(headersOf(rawTrailers))
      if (last === null || this.#bodiless) this.#response.end()
      else this.#response.end(Buffer.from(last))
    })
    // The rest of the request is not wanted (RFC 9113, section 8.1).
    const { stream } = this.#response
    if (!this.requestEnded) stream.once('finish', () => closeOnceSent(stream))
  }
  /** What is nothing but a head ends with it: to a client of gRPC that says that these are the trailers. */
  #prepareWhole(): void {
    if (!this.#head) return
    const { status, headers } = this.#head
    this.#head = null
    this.#response.statusCode = status
    for (const [name, value] of Object.entries(headers))
      if (value !== undefined) this.#response.setHeader(name, value)
  }
  /** Node throws at headers that it refuses to send. An origin chooses them, so only the stream may fail. */
  #attempt(act: () => void): void {
    try {
      act()
    } catch {
      this.destroy()
    }
  }
  /** An error, because a stream that only closes passes off half an answer as a whole one. */
  destroy(): void {
    this.#response.stream.close(constants.NGHTTP2_INTERNAL_ERROR)
  }

  readBody(handler: BodyHandler): void {
    const isFirst = this.#handler === null
    this.#handler = handler
    if (isFirst) {
      this.#connection.noteUpload()
      this.#request.on('data', (chunk: Buffer) => this.#onData(chunk))
      this.#request.on('end', () => {
        // Node says so of a stream that was reset, too: half an upload must not go to the origin as a whole one.
        if (this.#request.aborted) return
        this.#bodyEnded = true
        if (this.#handler === null) this.requestEnded = true
        else this.#deliver()
      })
    }
    this.resumeBody()
  }
  pauseBody(): void {
    this.#bodyPaused = true
    this.#request.pause()
  }
  resumeBody(): void {
    this.#bodyPaused = false
    this.#deliver()
    if (!this.#bodyPaused) this.#request.resume()
  }
  stopBody(): void {
    this.#handler = null
    this.#held = []
  }

  /**
   * The first frame of a turn is delivered at once. Those that follow in the same turn are delivered together at its end: a frame
   * of one byte must not cost an origin connection a write.
   */
  #onData(chunk: Buffer): void {
    if (this.#handler === null) return
    const startedAt = performance.now()
    this.#held.push(chunk)
    if (!this.#holds) {
      this.#deliver()
      this.#holds = true
      setImmediate(() => {
        this.#holds = false
        this.#deliver()
      })
    }
    this.#connection.noteFrame(chunk.length, performance.now() - startedAt)
  }

  #deliver(): void {
    const held = this.#held
    if (this.#bodyPaused || this.#handler === null) return
    if (held.length > 0) {
      this.#held = []
      const [first] = held
      this.#handler.onData(held.length === 1 && first ? first : Buffer.concat(held))
    }
    if (!this.#bodyEnded || this.requestEnded || this.#bodyPaused) return
    this.requestEnded = true
    // What was delivered may have been too much.
    this.#handler?.onEnd(this.#request.rawTrailers)
  }

  upgrade(_statusText: string, rawHeaders: readonly string[], sink: TunnelSink): DownstreamTunnel | null {
    if (!this.#websocket || this.#closed || this.#response.headersSent) return null
    const headers = headersOf(rawHeaders)
    // It proves what nobody of this side has asked.
    delete headers['sec-websocket-accept']
    this.#attempt(() => this.#response.writeHead(200, headers))
    if (this.#response.stream.destroyed) return null
    this.#tunnel = new Http2Tunnel(this.#request, this.#response, sink, this.#connection)
    return this.#tunnel
  }
}

/**
 * Node resets the stream of a request that nobody has begun to read as soon as its answer was handed over, whether or not the
 * end of it has left: where several answers share a window that is full, clients got all of an answer and then a reset in place of
 * its end. What is read, or paused, is left alone.
 */
function keepOpen(stream: ServerHttp2Stream): void {
  if (stream.endAfterHeaders) stream.resume()
  else stream.pause()
}

function withoutPseudoHeaders(rawHeaders: readonly string[]): string[] {
  const headers: string[] = []
  for (let index = 0; index < rawHeaders.length; index += 2)
    if (!rawHeaders[index]?.startsWith(':'))
      headers.push(rawHeaders[index] ?? '', rawHeaders[index + 1] ?? '')
  return headers
}

/** With these statuses Node ends the stream after the head. */
const BODILESS = new Set([204, 205, 304])

/** What only HTTP/1 connections have (RFC 9113, section 8.2.2). */
const CONNECTION_SPECIFIC = new Set(
  'connection http2-settings keep-alive proxy-connection te transfer-encoding upgrade'.split(' '),
)

/**
 * HTTP/2 has lower-case names and no connection headers. Lines of one name stay lines: browsers look for one challenge in each
 * `WWW-Authenticate`, and of several `Strict-Transport-Security` take the first (RFC 6797, section 8.1).
 */
function headersOf(rawHeaders: readonly string[]): OutgoingHttpHeaders {
  // An origin may call a header `constructor`, which an ordinary object has already.
  const headers: Record<string, string | string[]> = Object.create(null)
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = (rawHeaders[index] ?? '').toLowerCase()
    const value = rawHeaders[index + 1] ?? ''
    if (CONNECTION_SPECIFIC.has(name)) continue
    const before = headers[name]
    if (before === undefined) headers[name] = value
    else if (Array.isArray(before)) before.push(value)
    else headers[name] = [before, value]
  }
  return headers
}
