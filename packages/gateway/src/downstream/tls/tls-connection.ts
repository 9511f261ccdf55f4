/** One connection over TLS, as the limiter sees it: from its first byte on, whatever protocol is negotiated. */
import type { Socket } from 'node:net'
import type { Arrival } from '../arrival/arrival.ts'
import {
  EVICTION_RANKS,
  type EvictionRank,
  type LimitedConnection,
} from '../connections/connection-limiter.ts'
import type { WorkAccount, WorkBudget, Worker } from '../connections/work-budget.ts'
import { PausableSocket } from './pausable-socket.ts'

/** What accepting a connection and its handshake take, milliseconds; Node does it without us. */
const HANDSHAKE_MS = 0.8

export class TlsConnection implements LimitedConnection, Worker {
  /** The socket below TLS, by which reading can be paused. */
  readonly pausable: PausableSocket
  readonly arrival: Arrival
  readonly #socket: Socket
  readonly #budget: WorkBudget
  readonly #account: WorkAccount
  readonly #startHandshake: () => void
  #protocol: LimitedConnection | null = null

  /** @param socket the one below TLS, not read yet; with it, what is above ends. `startHandshake` begins to read it. */
  constructor(socket: Socket, arrival: Arrival, budget: WorkBudget, startHandshake: () => void) {
    this.arrival = arrival
    this.pausable = new PausableSocket(socket)
    this.#socket = socket
    this.#budget = budget
    this.#account = budget.acquireForAddress(arrival.clientAddress)
    this.#startHandshake = startHandshake
    socket.on('close', () => budget.release(this.#account, this))
  }

  /** Begins the handshake, at once or when it is its turn. */
  open(): void {
    if (this.#budget.mayWork(this.#account, performance.now())) this.work()
    else this.#budget.wait(this.#account, this)
  }

  /** Called when it is the connection's turn. */
  work(): void {
    if (this.#socket.destroyed) return
    this.#budget.spend(this.#account, HANDSHAKE_MS, performance.now())
    this.#startHandshake()
  }

  /** The handshake is done, and this protocol was negotiated. */
  useProtocol(protocol: LimitedConnection): void {
    this.#protocol = protocol
  }

  get evictionRank(): EvictionRank {
    return this.#protocol?.evictionRank ?? EVICTION_RANKS.unproven
  }

  /** Handshakes have a time limit of their own. */
  sweep(now: number): void {
    this.#protocol?.sweep(now)
  }

  drain(): void {
    if (this.#protocol) this.#protocol.drain()
    else this.#socket.destroy()
  }

  destroy(): void {
    if (this.#protocol) this.#protocol.destroy()
    else this.#socket.destroy()
  }
}
