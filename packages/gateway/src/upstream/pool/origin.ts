/**
 * An origin and the connections to it. A connection carries the requests of the one researcher for whom it was opened, and is
 * closed when that one has no use for it any more: what an origin sends late, or twice, or because somebody made it, would pass
 * for the answer to whatever the connection carries next, so there is no other researcher whose answer it could become. Where
 * none of theirs is idle a new one is opened; above the maximum, or above that of their researcher, requests wait their turn.
 */
import type { OriginConfig } from '@sallyport/contract'
import { Circuits } from './circuit.ts'
import { type ConnectOptions, connectToOrigin } from './connect.ts'
import { IdleConnections } from './idle-connections.ts'
import { OriginConnection } from './origin-connection.ts'
import { type Share, Shares } from './shares.ts'
import type { TurnBudget } from './turn-budget.ts'

export interface OriginLimits {
  readonly connectionsMax: number
  readonly connectionsPerResearcherMax: number
  readonly headBytesMax: number
  readonly keepAliveTimeoutMs: number
  readonly connectTimeoutMs: number
}

/** What new connections are made with. */
export type ConnectionParts = Pick<ConnectOptions, 'names' | 'addresses' | 'secureContext'>

/** An origin's own keep-alive promise is shortened by this, so that we close before it does. */
const KEEP_ALIVE_MARGIN_MS = 1_000

export class Origin {
  readonly circuits = new Circuits()
  /** True once it was closed; whoever still holds it asks for a new one. */
  closed = false
  readonly #config: OriginConfig
  readonly #limits: OriginLimits
  readonly #connect: ConnectionParts
  readonly #turns: TurnBudget
  readonly #idle = new IdleConnections()
  readonly #all = new Set<OriginConnection>()
  readonly #shares: Shares
  #opening = 0
  #lastUsed = performance.now()

  constructor(config: OriginConfig, limits: OriginLimits, connect: ConnectionParts, turns: TurnBudget) {
    this.#config = config
    this.#limits = limits
    this.#shares = new Shares(limits.connectionsPerResearcherMax)
    this.#connect = connect
    this.#turns = turns
  }

  /** An idle connection of a researcher's own, null where there is none, or where that would be one too many. */
  takeIdle(researcherId: string): OriginConnection | null {
    this.#lastUsed = performance.now()
    const share = this.#shares.of(researcherId)
    if (!this.#shares.hasRoom(share)) return null
    for (let found = this.#idle.take(share); found; found = this.#idle.take(share)) {
      if (found.usable && this.#lastUsed < found.staleAt) return hold(found)
      found.destroy()
    }
    return null
  }

  /** A new connection for a request, or one that becomes idle first. Rejects with an OriginError or NoFreeConnection. */
  open(researcherId: string, request: object): Promise<OriginConnection> {
    const share = this.#shares.of(researcherId)
    const hasRoom = this.#shares.hasRoom(share)
    if (hasRoom && this.#mayOpen) return this.#openNew(share)
    // What is idle now is for others alone: the oldest makes room, and whoever waits is served when it has closed.
    if (hasRoom) this.#makeRoom()
    return this.#shares.wait(share, request, performance.now() + this.#limits.connectTimeoutMs)
  }

  #makeRoom(): void {
    const { oldest } = this.#idle
    if (!oldest) return
    this.#idle.remove(oldest)
    oldest.destroy()
  }

  /** A request wants no connection any more: if it waits for one, nothing comes of it. */
  leave(researcherId: string, request: object): void {
    this.#shares.leave(researcherId, request)
  }

  get #mayOpen(): boolean {
    return this.#all.size + this.#opening < this.#limits.connectionsMax
  }

  async #openNew(share: Share): Promise<OriginConnection> {
    const connection = hold(
      new OriginConnection(share, this.#limits.headBytesMax, this.#turns, this.giveBack),
    )
    this.#opening++
    try {
      const { connectTimeoutMs: timeoutMs } = this.#limits
      const socket = await connectToOrigin(this.#config, {
        ...this.#connect,
        timeoutMs,
        onRead: connection.onRead,
        tlsSession: share.tlsSession,
      })
      this.#opening--
      this.#all.add(connection)
      connection.attach(socket, () => this.#forget(connection))
      return connection
    } catch (error) {
      this.#opening--
      release(connection)
      this.#openForNext()
      throw error
    }
  }

  /** Takes back a connection that has carried its request, or that nobody wants any more. */
  readonly giveBack = (connection: OriginConnection): void => {
    if (this.closed || !connection.usable) {
      connection.destroy()
      return
    }
    release(connection)
    const next = this.#shares.next()
    if (next?.share === connection.share) {
      next.resolve(hold(connection))
      return
    }
    if (next) {
      connection.destroy()
      this.#openNew(next.share).then(next.resolve, next.reject)
      return
    }
    const promised = connection.keepAliveMs
    const lifetimeMs = Math.min(
      this.#limits.keepAliveTimeoutMs,
      promised === null ? Number.POSITIVE_INFINITY : promised - KEEP_ALIVE_MARGIN_MS,
    )
    if (lifetimeMs <= 0) {
      connection.destroy()
      return
    }
    connection.staleAt = performance.now() + lifetimeMs
    this.#idle.add(connection)
  }

  #forget(connection: OriginConnection): void {
    this.#all.delete(connection)
    this.#idle.remove(connection)
    release(connection)
    this.#openForNext()
  }

  /** There is a place for a new connection: whoever waits may have it. */
  #openForNext(): void {
    const next = this.#mayOpen ? this.#shares.next() : undefined
    if (next) this.#openNew(next.share).then(next.resolve, next.reject)
  }

  /** Closes what has been idle for too long and ends waits that took too long. True while it is still of use. */
  sweep(now: number): boolean {
    for (const connection of this.#all)
      if (connection.idleLinks.isIdle && connection.staleAt <= now) connection.destroy()
    this.#shares.sweep(now)
    // The place that somebody made may have gone to another, who had to wait for one of their own until then.
    if (this.#shares.someWait && !this.#mayOpen) this.#makeRoom()
    return this.#all.size > 0 || this.#opening > 0 || now - this.#lastUsed < UNUSED_MS
  }

  close(): void {
    this.closed = true
    for (const connection of this.#all) connection.destroy()
  }
}

function hold(connection: OriginConnection): OriginConnection {
  if (!connection.held) connection.share.held++
  connection.held = true
  return connection
}

function release(connection: OriginConnection): void {
  if (connection.held) connection.share.held--
  connection.held = false
}

/** An origin that was not asked for this long is forgotten, its circuits with it. */
const UNUSED_MS = 300_000
