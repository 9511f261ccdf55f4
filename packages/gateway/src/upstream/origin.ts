/**
 * An origin and the connections to it. Idle connections are taken last in, first out, so that few stay warm; a new one
 * is opened where none is idle; above the maximum, requests wait their turn.
 */
import type { OriginConfig } from '@sallyport/contract'
import { Circuit } from './circuit.ts'
import { type ConnectOptions, connectToOrigin } from './connect.ts'
import { OriginConnection } from './origin-connection.ts'
import { OriginError } from './origin-error.ts'

export interface OriginLimits {
  readonly connectionsMax: number
  readonly headBytesMax: number
  readonly keepAliveTimeoutMs: number
  readonly connectTimeoutMs: number
}

/** An origin's own keep-alive promise is shortened by this, so that we close before it does. */
const KEEP_ALIVE_MARGIN_MS = 1_000
const WAITING_MAX = 10_000

interface Waiting {
  resolve(connection: OriginConnection): void
  reject(error: OriginError): void
  readonly deadline: number
}

export class Origin {
  readonly circuit = new Circuit()
  /** True once it was closed; whoever still holds it asks for a new one. */
  closed = false
  readonly #config: OriginConfig
  readonly #limits: OriginLimits
  readonly #connect: Pick<ConnectOptions, 'addresses' | 'secureContext'>
  readonly #idle: OriginConnection[] = []
  readonly #all = new Set<OriginConnection>()
  readonly #waiting: Waiting[] = []
  #opening = 0
  #lastUsed = performance.now()

  constructor(
    config: OriginConfig,
    limits: OriginLimits,
    connect: Pick<ConnectOptions, 'addresses' | 'secureContext'>,
  ) {
    this.#config = config
    this.#limits = limits
    this.#connect = connect
  }

  /** An idle connection, null where there is none. */
  takeIdle(): OriginConnection | null {
    this.#lastUsed = performance.now()
    for (let found = this.#idle.pop(); found; found = this.#idle.pop()) {
      if (found.usable && this.#lastUsed < found.staleAt) return found
      found.destroy()
    }
    return null
  }

  /** A new connection, or one that becomes idle first. Rejects with an OriginError. */
  open(): Promise<OriginConnection> {
    if (this.#all.size + this.#opening < this.#limits.connectionsMax) return this.#openNew()
    if (this.#waiting.length >= WAITING_MAX)
      return Promise.reject(new OriginError('origin_timeout', 'too many requests wait for a connection'))
    const { promise, resolve, reject } = Promise.withResolvers<OriginConnection>()
    const deadline = performance.now() + this.#limits.connectTimeoutMs
    this.#waiting.push({ resolve, reject, deadline })
    return promise
  }

  async #openNew(): Promise<OriginConnection> {
    const connection = new OriginConnection(this.#limits.headBytesMax, this.#giveBack)
    this.#opening++
    try {
      const { connectTimeoutMs: timeoutMs } = this.#limits
      const socket = await connectToOrigin(this.#config, {
        ...this.#connect,
        timeoutMs,
        onRead: connection.onRead,
      })
      this.#all.add(connection)
      connection.attach(socket, () => this.#forget(connection))
      return connection
    } finally {
      this.#opening--
    }
  }

  readonly #giveBack = (connection: OriginConnection): void => {
    const next = this.#waiting.shift()
    if (next) {
      next.resolve(connection)
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
    const next = this.#waiting.shift()
    if (next) this.#openNew().then(next.resolve, next.reject)
  }

  /** Closes what has been idle for too long and ends waits that took too long. True while it is still of use. */
  sweep(now: number): boolean {
    while (this.#idle[0] && this.#idle[0].staleAt <= now) this.#idle.shift()?.destroy()
    while (this.#waiting[0] && this.#waiting[0].deadline <= now)
      this.#waiting.shift()?.reject(new OriginError('origin_timeout', 'waiting for a free connection'))
    return this.#all.size > 0 || this.#opening > 0 || now - this.#lastUsed < UNUSED_MS
  }

  close(): void {
    this.closed = true
    for (const connection of this.#all) connection.destroy()
  }
}

/** An origin that was not asked for this long is forgotten, its circuit with it. */
const UNUSED_MS = 300_000
