/**
 * The quota of connections to an origin that each researcher has, and the requests that wait for a connection. Waiting
 * requests are served round-robin, a researcher at a time, so that the long polls of one researcher starve no other.
 *
 * The hosts of a wildcard are one origin here: a researcher has one quota for all of them, and a lane for each.
 */
import { NoFreeConnection } from './origin-error.ts'
import { TlsSession } from './tls-session.ts'

/** What one researcher has of an origin. */
export interface ConnectionQuota<Connection> {
  readonly researcherId: string
  /** Connections that carry the researcher's requests, or are being opened for them. */
  held: number
  readonly waiting: Waiting<Connection>[]
  lanes: number
}

/** Connections of a researcher that can carry each other's requests: to one host. */
export interface Lane<Connection> {
  readonly key: LaneKey
  readonly quota: ConnectionQuota<Connection>
  /** Of a wildcard; empty where the origin is one host. */
  readonly host: string
  /** The researcher's idle connections, the most recently used last; kept by `IdleConnections`. */
  readonly idle: Connection[]
  readonly tlsSession: TlsSession
}

/** A researcher's id; of a host of a wildcard with the host, after a blank. */
export type LaneKey = string

export const laneKeyOf = (researcherId: string, host: string): LaneKey =>
  host === '' ? researcherId : `${researcherId} ${host}`

export const researcherOf = (key: LaneKey): string => key.split(' ', 1)[0] ?? ''

export interface Waiting<Connection> {
  readonly lane: Lane<Connection>
  /** The request that waits. */
  readonly request: object
  resolve(connection: Connection): void
  reject(error: unknown): void
  /** In `performance.now()`. */
  readonly deadline: number
}

const WAITING_MAX = 10_000
/** Beyond them the oldest is forgotten: a wildcard has as many hosts as anybody asks for. */
const LANES_MAX = 10_000

export class ConnectionQuotas<Connection> {
  readonly #heldMax: number
  readonly #quotas = new Map<string, ConnectionQuota<Connection>>()
  readonly #lanes = new Map<LaneKey, Lane<Connection>>()
  /** Quotas with waiting requests, the next to be served first. */
  readonly #queue = new Set<ConnectionQuota<Connection>>()
  #waiting = 0

  /** @param heldMax how many connections one researcher may use at once. */
  constructor(heldMax: number) {
    this.#heldMax = heldMax
  }

  of(key: LaneKey): Lane<Connection> {
    const known = this.#lanes.get(key)
    if (known) return known
    const [researcherId = '', host = ''] = key.split(' ', 2)
    const quota = this.#quotaOf(researcherId)
    quota.lanes++
    const lane: Lane<Connection> = { key, quota, host, idle: [], tlsSession: new TlsSession() }
    this.#lanes.set(key, lane)
    const [oldest] = this.#lanes.values()
    // Its connections are still the pool's, which closes them when they have been idle for long.
    if (oldest && this.#lanes.size > LANES_MAX) this.#forget(oldest)
    return lane
  }

  #quotaOf(researcherId: string): ConnectionQuota<Connection> {
    const known = this.#quotas.get(researcherId)
    if (known) return known
    const quota: ConnectionQuota<Connection> = { researcherId, held: 0, waiting: [], lanes: 0 }
    this.#quotas.set(researcherId, quota)
    return quota
  }

  #forget(lane: Lane<Connection>): void {
    this.#lanes.delete(lane.key)
    lane.quota.lanes--
  }

  hasRoom({ quota }: Lane<Connection>): boolean {
    return quota.held < this.#heldMax
  }

  /** Waits for a connection. Rejects with NoFreeConnection at the deadline. */
  wait(lane: Lane<Connection>, request: object, deadline: number): Promise<Connection> {
    if (this.#waiting >= WAITING_MAX) return Promise.reject(this.#noFreeConnection(lane))
    const { promise, resolve, reject } = Promise.withResolvers<Connection>()
    const { quota } = lane
    quota.waiting.push({ lane, request, resolve, reject, deadline })
    this.#queue.add(quota)
    this.#waiting++
    return promise
  }

  /** Whether a request waits whose researcher is below the quota. */
  get hasServable(): boolean {
    return this.#waiting > 0 && [...this.#queue].some(({ held }) => held < this.#heldMax)
  }

  /** Dequeues the next waiting request of a researcher who is below the quota. */
  dequeue(): Waiting<Connection> | undefined {
    if (this.#waiting === 0) return undefined
    for (const quota of this.#queue) if (quota.held < this.#heldMax) return this.#dequeueFrom(quota)
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
  cancel(key: LaneKey, request: object): void {
    const { quota } = this.of(key)
    const index = quota.waiting.findIndex((waiting) => waiting.request === request)
    if (index < 0) return
    quota.waiting.splice(index, 1)
    this.#waiting--
    if (quota.waiting.length === 0) this.#queue.delete(quota)
  }

  /** Rejects the waits whose deadline has passed, and forgets the quotas and lanes that nothing uses any more. */
  sweep(now: number): void {
    for (const quota of [...this.#queue])
      for (let first = quota.waiting[0]; first && first.deadline <= now; first = quota.waiting[0])
        this.#dequeueFrom(quota)?.reject(this.#noFreeConnection(first.lane))
    for (const lane of this.#lanes.values()) {
      const { quota, idle, tlsSession } = lane
      if (quota.held + quota.waiting.length + idle.length === 0 && tlsSession.isOver(now)) this.#forget(lane)
    }
    for (const [researcherId, { held, waiting, lanes }] of this.#quotas)
      if (held + waiting.length + lanes === 0) this.#quotas.delete(researcherId)
  }

  #noFreeConnection(lane: Lane<Connection>): NoFreeConnection {
    return new NoFreeConnection(this.hasRoom(lane) ? 'origin' : 'researcher')
  }
}
