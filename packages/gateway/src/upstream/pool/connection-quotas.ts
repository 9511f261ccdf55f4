/**
 * The quota of connections to an origin that each researcher has, and the requests that wait for a connection. Waiting
 * requests are served round-robin, a researcher at a time, so that the long polls of one researcher starve no other.
 */
import { NoFreeConnection } from './origin-error.ts'
import { TlsSession } from './tls-session.ts'

export interface ConnectionQuota<Connection> {
  readonly researcherId: string
  /** Connections that carry the researcher's requests, or are being opened for them. */
  held: number
  /** The researcher's idle connections, the most recently used last; kept by `IdleConnections`. */
  readonly idle: Connection[]
  readonly waiting: Waiting<Connection>[]
  readonly tlsSession: TlsSession
}

export interface Waiting<Connection> {
  readonly quota: ConnectionQuota<Connection>
  /** The request that waits. */
  readonly request: object
  resolve(connection: Connection): void
  reject(error: unknown): void
  /** In `performance.now()`. */
  readonly deadline: number
}

const WAITING_MAX = 10_000

export class ConnectionQuotas<Connection> {
  readonly #heldMax: number
  readonly #quotas = new Map<string, ConnectionQuota<Connection>>()
  /** Quotas with waiting requests, the next to be served first. */
  readonly #queue = new Set<ConnectionQuota<Connection>>()
  #waiting = 0

  /** @param heldMax how many connections one researcher may use at once. */
  constructor(heldMax: number) {
    this.#heldMax = heldMax
  }

  of(researcherId: string): ConnectionQuota<Connection> {
    const known = this.#quotas.get(researcherId)
    if (known) return known
    const quota: ConnectionQuota<Connection> = {
      researcherId,
      held: 0,
      idle: [],
      waiting: [],
      tlsSession: new TlsSession(),
    }
    this.#quotas.set(researcherId, quota)
    return quota
  }

  hasRoom(quota: ConnectionQuota<Connection>): boolean {
    return quota.held < this.#heldMax
  }

  /** Waits for a connection. Rejects with NoFreeConnection at the deadline. */
  wait(quota: ConnectionQuota<Connection>, request: object, deadline: number): Promise<Connection> {
    if (this.#waiting >= WAITING_MAX) return Promise.reject(this.#noFreeConnection(quota))
    const { promise, resolve, reject } = Promise.withResolvers<Connection>()
    quota.waiting.push({ quota, request, resolve, reject, deadline })
    this.#queue.add(quota)
    this.#waiting++
    return promise
  }

  /** Whether a request waits whose researcher is below the quota. */
  get hasServable(): boolean {
    return this.#waiting > 0 && [...this.#queue].some((quota) => this.hasRoom(quota))
  }

  /** Dequeues the next waiting request of a researcher who is below the quota. */
  dequeue(): Waiting<Connection> | undefined {
    if (this.#waiting === 0) return undefined
    for (const quota of this.#queue) if (this.hasRoom(quota)) return this.#dequeueFrom(quota)
    return undefined
  }

  #dequeueFrom(quota: ConnectionQuota<Connection>): Waiting<Connection> | undefined {
    const first = quota.waiting.shift()
    this.#waiting--
    this.#queue.delete(quota)
    if (quota.waiting.length > 0) this.#queue.add(quota)
    return first
  }

  /** Cancels the wait of a request, if it waits. */
  cancel(researcherId: string, request: object): void {
    const quota = this.of(researcherId)
    const index = quota.waiting.findIndex((waiting) => waiting.request === request)
    if (index < 0) return
    quota.waiting.splice(index, 1)
    this.#waiting--
    if (quota.waiting.length === 0) this.#queue.delete(quota)
  }

  /** Rejects the waits whose deadline has passed, and forgets the quotas that nothing uses any more. */
  sweep(now: number): void {
    for (const quota of [...this.#queue])
      while (quota.waiting[0] && quota.waiting[0].deadline <= now)
        this.#dequeueFrom(quota)?.reject(this.#noFreeConnection(quota))
    for (const [researcherId, quota] of this.#quotas)
      if (quota.held + quota.idle.length + quota.waiting.length === 0 && quota.tlsSession.isOver(now))
        this.#quotas.delete(researcherId)
  }

  #noFreeConnection(quota: ConnectionQuota<Connection>): NoFreeConnection {
    return new NoFreeConnection(this.hasRoom(quota) ? 'origin' : 'researcher')
  }
}
