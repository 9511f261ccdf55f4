/** One connection over TLS, as far as its place is concerned: from its first byte on, whatever it will speak. */
import type { Socket } from 'node:net'
import { CLAIMS, type Claim, type Occupant } from './places.ts'

export class TlsConnection implements Occupant {
  readonly #socket: Socket
  #spoken: Occupant | null = null

  /** @param socket the one below TLS; with it, what is above ends. */
  constructor(socket: Socket) {
    this.#socket = socket
  }

  /** The handshake is done, and this is what the connection speaks. */
  speak(protocol: Occupant): void {
    this.#spoken = protocol
  }

  get claim(): Claim {
    return this.#spoken?.claim ?? CLAIMS.unproven
  }

  /** Handshakes have a time limit of their own. */
  sweep(now: number): void {
    this.#spoken?.sweep(now)
  }

  retire(): void {
    if (this.#spoken) this.#spoken.retire()
    else this.#socket.destroy()
  }

  destroy(): void {
    if (this.#spoken) this.#spoken.destroy()
    else this.#socket.destroy()
  }
}
