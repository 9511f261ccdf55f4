/**
 * An origin and the connections to it. Idle connections are taken last in, first out, so that few stay warm; a new one
 * is opened where none is idle; above the maximum, or above that of their researcher, requests wait their turn.
 *
 * An origin that takes a body for another request (because it ignores a length, say) answers twice, and the second answer may
 * come when the connection carries the next request, as whose answer it would pass. So a connection that has carried a body
 * is used again for the same researcher only: whoever finds such an origin deceives nobody else.
 */
import type { OriginConfig } from '@sallyport/contract'
import { Circuits } from './circuit.ts'
import { type ConnectOptions, connectToOrigin } from './connect.ts'
import { OriginConnection } from './origin-connection.ts'
import { type Share, Shares } from './shares.ts'

export interface OriginLimits {
  readonly connectionsMax: number
  readonly connectionsPerResearcherMax: number
  readonly headBytesMax: number
  readonly keepAliveTimeoutMs: number
  readonly connectTimeoutMs: number
}

/** An origin's own keep-alive promise is shortened by this, so that we close before it does. */
const KEEP_ALIVE_MARGIN_MS = 1_000

export class Origin {
  readonly circuits = new Circuits()
  /** True once it was closed; whoever still holds it asks for a new one. */
  closed = false
  readonly #config: OriginConfig
  readonly #limits: OriginLimits
  readonly #connect: Pick<ConnectOptions, 'names' | 'addresses' | 'secureContext'>
  readonly #idle: OriginConnection[] = []
  readonly #all = new Set<OriginConnection>()
  readonly #shares: Shares
  #opening = 0
  #lastUsed = performance.now()

  constructor(
    config: OriginConfig,
    limits: OriginLimits,
    connect: Pick<ConnectOptions, 'names' | 'addresses' | 'secureContext'>,
  ) {
    this.#config = config
    this.#limits = limits
    this.#shares = new Shares(limits.connectionsPerResearcherMax)
    this.#connect = connect
  }

  /** An idle connection for a researcher, null where there is none, or where that would be one too many. */
  takeIdle(researcherId: string): OriginConnection | null {
    this.#lastUsed = performance.now()
    const share = this.#shares.of(researcherId)
    if (!this.#shares.hasRoom(share)) return null
    for (let index = this.#idle.length - 1; index >= 0; index--) {
      const found = this.#idle[index]
      if (!found || !isFor(found, share)) continue
      this.#idle.splice(index, 1)
      if (found.usable && this.#lastUsed < found.staleAt) return held(found, share)
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
    if (hasRoom) this.#idle.shift()?.destroy()
    return this.#shares.wait(share, request, performance.now() + this.#limits.connectTimeoutMs)
  }

  /** A request wants no connection any more: if it waits for one, nothing comes of it. */
  leave(researcherId: string, request: object): void {
    this.#shares.leave(researcherId, request)
  }

  get #mayOpen(): boolean {
    return this.#all.size + this.#opening < this.#limits.connectionsMax
  }

  async #openNew(share: Share): Promise<OriginConnection> {
    const connection = held(new OriginConnection(this.#limits.headBytesMax, this.giveBack), share)
    this.#opening++
    try {
      const { connectTimeoutMs: timeoutMs } = this.#limits
      const socket = await connectToOrigin(this.#config, {
        ...this.#connect,
        timeoutMs,
        onRead: connection.onRead,
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
    if (next && isFor(connection, next.share)) {
      next.resolve(held(connection, next.share))
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
    this.#idle.push(connection)
  }

  #forget(connection: OriginConnection): void {
    this.#all.delete(connection)
    const index = this.#idle.indexOf(connection)
    if (index >= 0) this.#idle.splice(index, 1)
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
    while (this.#idle[0] && this.#idle[0].staleAt <= now) this.#idle.shift()?.destroy()
    this.#shares.sweep(now)
    return this.#all.size > 0 || this.#opening > 0 || now - this.#lastUsed < UNUSED_MS
  }

  close(): void {
    this.closed = true
    for (const connection of this.#all) connection.destroy()
  }
}

const isFor = ({ onlyFor }: OriginConnection, { researcherId }: Share): boolean =>
  onlyFor === null || onlyFor === researcherId

function held(connection: OriginConnection, share: Share): OriginConnection {
  connection.holder = share
  share.held++
  return connection
}

function release(connection: OriginConnection): void {
  if (connection.holder) connection.holder.held--
  connection.holder = null
}

/** An origin that was not asked for this long is forgotten, its circuits with it. */
const UNUSED_MS = 300_000
