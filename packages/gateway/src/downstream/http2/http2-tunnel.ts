/**
 * A WebSocket in a stream of HTTP/2 (RFC 8441): asked for by an extended CONNECT, open after a 200, then bytes both ways. The proof of a
 * handshake, which keeps caches and forms from opening one over HTTP/1.1, is the protocol's own here; towards an origin that speaks HTTP/1.1
 * the gate asks with a key that it makes.
 */
import { randomBytes } from 'node:crypto'
import { constants, type Http2ServerRequest, type Http2ServerResponse } from 'node:http2'
import type { DownstreamTunnel, TunnelSink } from '../../exchange/responder.ts'
import { closeOnceSent } from './close-stream.ts'
import type { Http2Connection } from './http2-connection.ts'

const KEY = 'sec-websocket-key'

/** Whether a request is an extended CONNECT for a WebSocket. */
export const asksForWebSocket = ({ method, headers }: Http2ServerRequest): boolean =>
  method === 'CONNECT' && headers[':protocol'] === 'websocket'

/** The headers of such a request with a key, as an origin is asked; one that the client sent means nothing. */
export function withWebSocketKey(rawHeaders: readonly string[]): string[] {
  const kept = rawHeaders.filter((_, index) => rawHeaders[index - (index % 2)]?.toLowerCase() !== KEY)
  return [...kept, 'Sec-WebSocket-Key', randomBytes(16).toString('base64')]
}

export class Http2Tunnel implements DownstreamTunnel {
  readonly #request: Http2ServerRequest
  readonly #response: Http2ServerResponse
  readonly #sink: TunnelSink
  readonly #connection: Http2Connection
  /** What has come in this turn of the event loop after the first frame of it. */
  #held: Buffer[] = []
  #holds = false
  #ended = false
  /** Nobody wants what comes any more. */
  #over = false

  constructor(
    request: Http2ServerRequest,
    response: Http2ServerResponse,
    sink: TunnelSink,
    connection: Http2Connection,
  ) {
    this.#request = request
    this.#response = response
    this.#sink = sink
    this.#connection = connection
  }

  startTunnel(): void {
    const request = this.#request
    request.on('data', (chunk: Buffer) => this.#onData(chunk))
    request.on('end', () => {
      // Node says so of a stream that was reset, too.
      if (request.aborted) return
      this.#ended = true
      if (!this.#holds) this.#sink.onDownstreamEnd()
    })
    request.resume()
  }
  write(chunk: Buffer): boolean {
    return this.#response.write(Buffer.from(chunk))
  }
  pause(): void {
    this.#request.pause()
  }
  resume(): void {
    this.#request.resume()
  }
  end(): void {
    this.#response.end()
  }
  destroySoon(): void {
    this.#over = true
    const { stream } = this.#response
    stream.once('finish', () => closeOnceSent(stream))
    this.#response.end()
  }
  destroy(): void {
    this.#over = true
    this.#response.stream.close(constants.NGHTTP2_CANCEL)
  }

  onDrain(): void {
    this.#sink.onDownstreamDrain()
  }
  onClosed(): void {
    this.#sink.onDownstreamClosed()
  }

  /** As bodies are: the first frame of a turn at once, those that follow in it together, so that none costs a write by itself. */
  #onData(chunk: Buffer): void {
    if (this.#over) return
    const startedAt = performance.now()
    if (this.#holds) this.#held.push(chunk)
    else {
      this.#sink.onDownstreamData(chunk)
      this.#holds = true
      setImmediate(() => this.#deliverHeld())
    }
    this.#connection.noteFrame(chunk.length, performance.now() - startedAt)
  }

  #deliverHeld(): void {
    const held = this.#held
    this.#held = []
    this.#holds = false
    if (this.#over) return
    if (held.length > 0) this.#sink.onDownstreamData(Buffer.concat(held))
    if (this.#ended) this.#sink.onDownstreamEnd()
  }
}
