/**
 * A connection of a load balancer until it has said whose it is; after that, what is spoken on it. Its reads are charged to the load
 * balancer's own address, but for the first: an honest one sends the header in one piece.
 */
import type { Socket } from 'node:net'
import {
  EVICTION_RANKS,
  type EvictionRank,
  type LimitedConnection,
} from '../connections/connection-limiter.ts'
import type { WorkAccount, WorkBudget, Worker } from '../connections/work-budget.ts'
import { PausableSocket } from '../tls/pausable-socket.ts'
import { PROXY_HEADER_BYTES_MAX, type ProxyHeader, readProxyHeader } from './proxy-header.ts'

/** A connection that was taken, and how it begins. */
export interface TakenConnection {
  readonly connection: LimitedConnection
  /** Begins, with what was read of it before. */
  begin(rest: Buffer): void
}

export interface PendingArrivalServices {
  readonly budget: WorkBudget
  /** How long the header may take. */
  readonly headTimeoutMs: number
  /** Takes the connection, which is not being read any more. */
  readonly onHeader: (header: ProxyHeader) => TakenConnection
  /** The connection did not begin with a header, and is closed. */
  readonly onMalformed: () => void
}

/** What a read takes, milliseconds. */
const READ_MS = 0.02

export class PendingArrival implements LimitedConnection, Worker {
  readonly #socket: Socket
  readonly #pausable: PausableSocket
  readonly #services: PendingArrivalServices
  readonly #account: WorkAccount
  readonly #since = performance.now()
  #read: Buffer = Buffer.alloc(0)
  #inner: LimitedConnection | null = null

  /** @param socket not read yet. */
  constructor(socket: Socket, address: string, services: PendingArrivalServices) {
    this.#socket = socket
    this.#pausable = new PausableSocket(socket)
    this.#services = services
    const { budget } = services
    this.#account = budget.acquireForAddress(address)
    socket.on('error', this.#onError)
    socket.on('end', this.#onEnd)
    socket.on('data', this.#onData)
    socket.on('close', () => budget.release(this.#account, this))
  }

  get evictionRank(): EvictionRank {
    return this.#inner?.evictionRank ?? EVICTION_RANKS.unproven
  }
  sweep(now: number): void {
    if (this.#inner) this.#inner.sweep(now)
    else if (now - this.#since > this.#services.headTimeoutMs) this.destroy()
  }
  drain(): void {
    if (this.#inner) this.#inner.drain()
    else this.destroy()
  }
  destroy(): void {
    if (this.#inner) this.#inner.destroy()
    else this.#socket.destroy()
  }

  /** Called when it is the connection's turn again. */
  work(): void {
    if (!this.#inner) this.#pausable.resumeReading()
  }

  readonly #onError = (): void => {
    this.#socket.destroy()
  }
  readonly #onEnd = (): void => {
    this.#socket.destroy()
  }

  readonly #onData = (read: Buffer): void => {
    const isFirst = this.#read.length === 0
    this.#read = isFirst ? read : Buffer.concat([this.#read, read])
    // What is behind the header has no place in its bound.
    const header = readProxyHeader(this.#read.subarray(0, PROXY_HEADER_BYTES_MAX))
    if (header === 'malformed') {
      this.#services.onMalformed()
      this.#socket.destroy()
    } else if (header !== 'incomplete') this.#handOver(header)
    else if (!isFirst) this.#charge()
  }

  #charge(): void {
    const { budget } = this.#services
    const now = performance.now()
    budget.spend(this.#account, READ_MS, now)
    if (budget.mayWork(this.#account, now)) return
    this.#pausable.pauseReading()
    budget.wait(this.#account, this)
  }

  #handOver(header: ProxyHeader): void {
    const socket = this.#socket
    const rest = this.#read.subarray(header.bytes)
    this.#read = Buffer.alloc(0)
    this.#pausable.stopReading()
    for (const [event, listener] of [
      ['data', this.#onData],
      ['end', this.#onEnd],
      ['error', this.#onError],
    ] as const)
      socket.off(event, listener)
    const { connection, begin } = this.#services.onHeader(header)
    this.#inner = connection
    begin(rest)
  }
}
