/** One connection over TLS, as far as its place is concerned: from its first byte on, whatever it will speak. */
import type { Socket } from 'node:net'
import {
  EVICTION_RANKS,
  type EvictionRank,
  type LimitedConnection,
} from '../connections/connection-limiter.ts'
import type { Account, WorkBudget, Worker } from '../connections/work-budget.ts'
import { PausableSocket } from './pausable-socket.ts'

/** What accepting a connection and its handshake take, milliseconds; Node does it without us. */
const HANDSHAKE_MS = 0.8

export class TlsConnection implements LimitedConnection, Worker {
  /** The socket below TLS, for whoever must not read more. */
  readonly pausable: PausableSocket
  readonly #socket: Socket
  readonly #budget: WorkBudget
  readonly #account: Account
  readonly #shakeHands: () => void
  #spoken: LimitedConnection | null = null

  /** @param socket the one below TLS, not read yet; with it, what is above ends. `shakeHands` begins to read it. */
  constructor(socket: Socket, address: string, budget: WorkBudget, shakeHands: () => void) {
    this.pausable = new PausableSocket(socket)
    this.#socket = socket
    this.#budget = budget
    this.#account = budget.ofAddress(address)
    this.#shakeHands = shakeHands
    socket.on('close', () => {
      budget.leave(this.#account, this)
      budget.release(this.#account)
    })
  }

  /** Begins the handshake, at once or when it is its turn. */
  open(): void {
    if (this.#budget.mayWork(this.#account, performance.now())) this.work()
    else this.#budget.wait(this.#account, this)
  }

  /** Its turn has come. */
  work(): void {
    if (this.#socket.destroyed) return
    this.#budget.spend(this.#account, HANDSHAKE_MS, performance.now())
    this.#shakeHands()
  }

  /** The handshake is done, and this is what the connection speaks. */
  speak(protocol: LimitedConnection): void {
    this.#spoken = protocol
  }

  get evictionRank(): EvictionRank {
    return this.#spoken?.evictionRank ?? EVICTION_RANKS.unproven
  }

  /** Handshakes have a time limit of their own. */
  sweep(now: number): void {
    this.#spoken?.sweep(now)
  }

  drain(): void {
    if (this.#spoken) this.#spoken.drain()
    else this.#socket.destroy()
  }

  destroy(): void {
    if (this.#spoken) this.#spoken.destroy()
    else this.#socket.destroy()
  }
}
