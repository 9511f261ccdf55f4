/**
 * A connection below TLS that can be kept from being read. What stands above it (TLS, and Node's HTTP/2 above that) takes the
 * handle over and reads as long as something arrives, and no documented way pauses it; so the handle is stopped, as Node's
 * own streams stop it. Where a socket has none, it is read on.
 */
import type { Socket } from 'node:net'

/** What Node's typings do not show of a socket. */
type Handled = { _handle?: { reading?: boolean; readStop?: () => void; readStart?: () => void } | null }

export class PausableSocket {
  readonly #socket: Socket & Handled
  #paused = false

  constructor(socket: Socket) {
    this.#socket = socket
  }

  /** To be called again while it matters: Node's HTTP/2 begins to read by itself where it had stopped for a write of its own. */
  pauseReading(): void {
    this.#paused = true
    this.#socket._handle?.readStop?.()
  }
  resumeReading(): void {
    if (!this.#paused) return
    this.#paused = false
    this.#socket._handle?.readStart?.()
  }
  /** Nothing more is read until somebody takes the connection over, and begins to read it. */
  stopReading(): void {
    const { _handle: handle } = this.#socket
    this.#socket.pause()
    if (!handle) return
    handle.reading = false
    handle.readStop?.()
  }
  /** Ends the connection at once, and with it what stands above. */
  destroy(): void {
    this.#socket.destroy()
  }
}
