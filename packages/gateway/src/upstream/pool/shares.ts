/**
 * Whose the connections to an origin are, and who waits for one. One researcher holds so many of them and no more, and those
 * who wait are served in turn, a researcher at a time: the long polls of one are no concern of the others.
 */
import type { OriginConnection } from './origin-connection.ts'
import { NoFreeConnection } from './origin-error.ts'
import { TlsSession } from './tls-session.ts'

export interface Share {
  readonly researcherId: string
  /** Connections that the researcher's requests have, or are having made. */
  held: number
  /** Those that the researcher's requests have left, the last used last; kept by `IdleConnections`. */
  readonly idle: OriginConnection[]
  readonly waiting: Waiting[]
  readonly tlsSession: TlsSession
}

export interface Waiting {
  readonly share: Share
  /** The request that waits. */
  readonly request: object
  resolve(connection: OriginConnection): void
  reject(error: unknown): void
  /** In `performance.now()`. */
  readonly deadline: number
}

const WAITING_MAX = 10_000

export class Shares {
  readonly #heldMax: number
  readonly #shares = new Map<string, Share>()
  /** Those for which somebody waits, the next first. */
  readonly #queue = new Set<Share>()
  #waiting = 0

  /** @param heldMax how many connections one researcher may hold. */
  constructor(heldMax: number) {
    this.#heldMax = heldMax
  }

  of(researcherId: string): Share {
    const known = this.#shares.get(researcherId)
    if (known) return known
    const share = { researcherId, held: 0, idle: [], waiting: [], tlsSession: new TlsSession() }
    this.#shares.set(researcherId, share)
    return share
  }

  hasRoom(share: Share): boolean {
    return share.held < this.#heldMax
  }

  /** Waits for a connection. Rejects with NoFreeConnection at the deadline. */
  wait(share: Share, request: object, deadline: number): Promise<OriginConnection> {
    if (this.#waiting >= WAITING_MAX) return Promise.reject(this.#notServed(share))
    const { promise, resolve, reject } = Promise.withResolvers<OriginConnection>()
    share.waiting.push({ share, request, resolve, reject, deadline })
    this.#queue.add(share)
    this.#waiting++
    return promise
  }

  /** Whether somebody waits who may hold one more. */
  get someWait(): boolean {
    return this.#waiting > 0 && [...this.#queue].some((share) => this.hasRoom(share))
  }

  /** Whose turn it is, among those that may hold one more; they wait no longer. */
  next(): Waiting | undefined {
    if (this.#waiting === 0) return undefined
    for (const share of this.#queue) if (this.hasRoom(share)) return this.#take(share)
    return undefined
  }

  #take(share: Share): Waiting | undefined {
    const first = share.waiting.shift()
    this.#waiting--
    this.#queue.delete(share)
    if (share.waiting.length > 0) this.#queue.add(share)
    return first
  }

  /** A request that may be waiting wants no connection any more. */
  leave(researcherId: string, request: object): void {
    const share = this.of(researcherId)
    const index = share.waiting.findIndex((waiting) => waiting.request === request)
    if (index < 0) return
    share.waiting.splice(index, 1)
    this.#waiting--
    if (share.waiting.length === 0) this.#queue.delete(share)
  }

  /** Ends waits that took too long, and forgets who has nothing any more. */
  sweep(now: number): void {
    for (const share of [...this.#queue])
      while (share.waiting[0] && share.waiting[0].deadline <= now)
        this.#take(share)?.reject(this.#notServed(share))
    for (const [researcherId, share] of this.#shares)
      if (share.held + share.idle.length + share.waiting.length === 0 && share.tlsSession.isOver(now))
        this.#shares.delete(researcherId)
  }

  #notServed(share: Share): NoFreeConnection {
    return new NoFreeConnection(this.hasRoom(share) ? 'origin' : 'researcher')
  }
}
