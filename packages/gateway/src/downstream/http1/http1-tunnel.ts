/** An HTTP/1.1 connection after its upgrade: bytes both ways, of which nothing is read any more. */
import type { Socket } from 'node:net'
import type { ReadAhead } from '@sallyport/http1'
import type { DownstreamTunnel, TunnelSink } from '../../exchange/responder.ts'

export class Http1Tunnel implements DownstreamTunnel {
  readonly #socket: Socket
  readonly #sink: TunnelSink
  /** What came before the sink was ready for it. */
  readonly #ahead: ReadAhead
  readonly #onEnding: () => void
  #paused = false

  /** `onEnding` is called when nothing more will be written, and what was is to be taken by the client. */
  constructor(socket: Socket, sink: TunnelSink, ahead: ReadAhead, onEnding: () => void) {
    this.#socket = socket
    this.#sink = sink
    this.#ahead = ahead
    this.#onEnding = onEnding
  }

  startTunnel(): void {
    const { bytes } = this.#ahead
    if (bytes.length > 0) this.#sink.onDownstreamData(bytes)
    this.#ahead.clear()
    if (!this.#paused) this.#socket.resume()
  }
  write(chunk: Buffer): boolean {
    return this.#socket.write(Buffer.from(chunk))
  }
  pause(): void {
    this.#paused = true
    this.#socket.pause()
  }
  resume(): void {
    this.#paused = false
    this.#socket.resume()
  }
  end(): void {
    this.#socket.end()
  }
  destroySoon(): void {
    this.#onEnding()
    this.#socket.destroySoon()
  }
  destroy(): void {
    this.#socket.destroy()
  }

  /** Passes on what was read, valid during the call only. False stops the reading until `resume`. */
  onRead(read: Buffer): boolean {
    this.#sink.onDownstreamData(read)
    return !this.#paused
  }
  onDrain(): void {
    this.#sink.onDownstreamDrain()
  }
  onEnd(): void {
    this.#sink.onDownstreamEnd()
  }
  onClosed(): void {
    this.#sink.onDownstreamClosed()
  }
}
