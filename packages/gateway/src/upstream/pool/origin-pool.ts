/**
 * The pool of connections to one origin. A connection carries only the requests of the researcher for whom it was opened: bytes
 * that an origin sends late, twice, or because an attacker made it do so would be taken for the response to the next request
 * on that connection, and so must never reach another researcher. Where the researcher has no idle connection a new one is
 * opened; above the maximum of the pool, or above the researcher's quota, requests wait. The hosts of a wildcard are one origin,
 * whose connections carry the requests for their own host alone.
 */
import { performance } from 'node:perf_hooks'
import type { OriginConfig, OriginProtocol } from '@sallyport/contract'
import type { GatewayLimits } from '../../settings.ts'
import { CircuitBreakers } from './circuit-breakers.ts'
import { type ConnectOptions, connectToOrigin } from './connect.ts'
import { ConnectionQuotas, type Lane, type LaneKey } from './connection-quotas.ts'
import { OriginSessions } from './http2/origin-sessions.ts'
import { IdleConnections } from './idle-connections.ts'
import { OriginConnection, type OriginExchange } from './origin-connection.ts'
import type { ReadScheduler } from './read-scheduler.ts'

/** What new connections are made with. */
export type ConnectionParts = Pick<ConnectOptions, 'names' | 'addresses' | 'secureContext'>

/** An origin's own keep-alive promise is shortened by this, so that we close before it does. */
const KEEP_ALIVE_MARGIN_MS = 1_000

export class OriginPool {
  readonly breakers = new CircuitBreakers()
  /** True once it was closed; a caller that still refers to it must look the pool up again. */
  closed = false
  readonly #config: OriginConfig
  readonly #limits: GatewayLimits
  readonly #connect: ConnectionParts
  readonly #scheduler: ReadScheduler
  readonly #idle = new IdleConnections<OriginConnection>()
  readonly #all = new Set<OriginConnection>()
  readonly #quotas: ConnectionQuotas<OriginConnection>
  /** Null where the origin is asked in HTTP/1.1 alone. */
  readonly #http2: OriginSessions | null
  #opening = 0
  #lastUsed = performance.now()

  constructor(
    config: OriginConfig,
    limits: GatewayLimits,
    connect: ConnectionParts,
    scheduler: ReadScheduler,
    protocol: OriginProtocol = 'http1',
  ) {
    this.#config = config
    this.#limits = limits
    this.#quotas = new ConnectionQuotas(limits.originConnectionsPerResearcherMax)
    this.#connect = connect
    this.#scheduler = scheduler
    // Without TLS nothing says which protocol is spoken before it is.
    const isAsked = protocol === 'http2' || (protocol === 'auto' && config.scheme === 'https')
    this.#http2 = isAsked
      ? new OriginSessions({
          ...{ origin: config, limits, connect, scheduler },
          laneOf: (key) => this.#quotas.of(key),
          originOf: (lane) => this.#originOf(lane),
          mayOpen: () => this.#mayOpen,
          isOptional: protocol === 'auto',
        })
      : null
  }

  /** The sessions of HTTP/2 for a request; null where it goes in HTTP/1.1, as whatever asks for a WebSocket does. */
  #http2For(websocket: boolean): OriginSessions | null {
    return websocket || this.#http2?.isHttp1 ? null : this.#http2
  }

  /** Where connections of a lane lead. */
  #originOf({ host }: Pick<Lane<OriginConnection>, 'host'>): OriginConfig {
    return host === '' ? this.#config : { ...this.#config, host }
  }

  /** What can carry a request of the researcher at once; null where there is nothing, or the quota is used up. */
  acquireIdle(key: LaneKey, websocket: boolean): OriginExchange | null {
    this.#lastUsed = performance.now()
    const http2 = this.#http2For(websocket)
    return http2 ? http2.acquireNow(key) : this.#acquireIdleConnection(key)
  }

  #acquireIdleConnection(key: LaneKey): OriginConnection | null {
    const lane = this.#quotas.of(key)
    if (!this.#quotas.hasRoom(lane)) return null
    for (let found = this.#idle.pop(lane); found; found = this.#idle.pop(lane)) {
      if (found.usable && this.#lastUsed < found.staleAt) return markInUse(found)
      found.destroy()
    }
    return null
  }

  /** What can carry a request, new or as soon as it is free. Rejects with an OriginError or NoFreeConnection. */
  async acquire(key: LaneKey, request: object, websocket: boolean): Promise<OriginExchange> {
    const stream = await this.#http2For(websocket)?.acquire(key, request)
    return stream ?? (await this.#acquireConnection(key, request))
  }

  #acquireConnection(key: LaneKey, request: object): Promise<OriginConnection> {
    const lane = this.#quotas.of(key)
    const hasRoom = this.#quotas.hasRoom(lane)
    if (hasRoom && this.#mayOpen) return this.#openNew(lane)
    // The idle connections are of other researchers, or lead to other hosts: the oldest is evicted, and a waiting request served once it has closed.
    if (hasRoom) this.#evictOldestIdle()
    return this.#quotas.wait(lane, request, performance.now() + this.#limits.originConnectTimeoutMs)
  }

  #evictOldestIdle(): void {
    const { oldest } = this.#idle
    if (!oldest) return
    this.#idle.remove(oldest)
    oldest.destroy()
  }

  /** Cancels the wait of a request for a connection, if it waits. */
  cancel(key: LaneKey, request: object): void {
    this.#quotas.cancel(key, request)
    this.#http2?.cancel(request)
  }

  get #mayOpen(): boolean {
    return this.#all.size + this.#opening + (this.#http2?.size ?? 0) < this.#limits.originConnectionsMax
  }

  async #openNew(lane: Lane<OriginConnection>): Promise<OriginConnection> {
    const connection = markInUse(
      new OriginConnection(lane, this.#limits.originHeadBytesMax, this.#scheduler, this.release),
    )
    this.#opening++
    try {
      const { originConnectTimeoutMs: timeoutMs } = this.#limits
      const socket = await connectToOrigin(this.#originOf(lane), {
        ...this.#connect,
        timeoutMs,
        onRead: connection.onRead,
        tlsSession: lane.tlsSession,
        zone: this.#config.host,
      })
      this.#opening--
      this.#all.add(connection)
      connection.attach(socket, () => this.#onClosed(connection))
      return connection
    } catch (error) {
      this.#opening--
      markFree(connection)
      this.#openForNext()
      throw error
    }
  }

  /** Returns a connection to the pool: its request is over, or was cancelled before it was sent. */
  readonly release = (connection: OriginConnection): void => {
    if (this.closed || !connection.usable) {
      connection.destroy()
      return
    }
    markFree(connection)
    const next = this.#quotas.dequeue()
    if (next?.lane === connection.lane) {
      next.resolve(markInUse(connection))
      return
    }
    if (next) {
      connection.destroy()
      this.#openNew(next.lane).then(next.resolve, next.reject)
      return
    }
    const promised = connection.keepAliveMs
    const lifetimeMs = Math.min(
      this.#limits.originKeepAliveTimeoutMs,
      promised === null ? Number.POSITIVE_INFINITY : promised - KEEP_ALIVE_MARGIN_MS,
    )
    if (lifetimeMs <= 0) {
      connection.destroy()
      return
    }
    connection.staleAt = performance.now() + lifetimeMs
    this.#idle.add(connection)
  }

  #onClosed(connection: OriginConnection): void {
    this.#all.delete(connection)
    this.#idle.remove(connection)
    markFree(connection)
    this.#openForNext()
  }

  /** Opens a connection for the next waiting request, where the pool has room. */
  #openForNext(): void {
    const next = this.#mayOpen ? this.#quotas.dequeue() : undefined
    if (next) this.#openNew(next.lane).then(next.resolve, next.reject)
  }

  /** Closes connections that were idle for too long, and ends waits that took too long. False once the pool is unused. */
  sweep(now: number): boolean {
    for (const connection of this.#all)
      if (connection.idleLinks.isIdle && connection.staleAt <= now) connection.destroy()
    this.#quotas.sweep(now)
    this.#http2?.sweep(now)
    // The room made by an eviction may have gone to another researcher's request.
    if (this.#quotas.hasServable && !this.#mayOpen) this.#evictOldestIdle()
    const isOpen = this.#all.size > 0 || this.#opening > 0 || (this.#http2?.size ?? 0) > 0
    return isOpen || now - this.#lastUsed < UNUSED_MS
  }

  close(): void {
    this.closed = true
    for (const connection of this.#all) connection.destroy()
    this.#http2?.close()
  }
}

function markInUse(connection: OriginConnection): OriginConnection {
  if (!connection.held) connection.lane.quota.held++
  connection.held = true
  return connection
}

function markFree(connection: OriginConnection): void {
  if (connection.held) connection.lane.quota.held--
  connection.held = false
}

/** A pool that was not used for this long is forgotten, its circuit breakers with it. */
const UNUSED_MS = 300_000
