/**
 * The sessions of HTTP/2 with one origin: one for each researcher, as connections are a researcher's own, and
 * of a wildcard for each host. What has no room in it waits, and
 * takes another session where the origin ends this one.
 */
import type { TLSSocket } from 'node:tls'
import type { OriginConfig } from '@sallyport/contract'
import type { GatewayLimits } from '../../../settings.ts'
import { type ConnectOptions, connectToOrigin } from '../connect.ts'
import { type Lane, type LaneKey, researcherOf } from '../connection-quotas.ts'
import { NoFreeConnection, OriginError } from '../origin-error.ts'
import type { ReadScheduler } from '../read-scheduler.ts'
import { OriginSession } from './origin-session.ts'
import { OriginStream } from './origin-stream.ts'

export interface OriginSessionsOptions {
  readonly origin: OriginConfig
  readonly limits: GatewayLimits
  readonly connect: Pick<ConnectOptions, 'names' | 'addresses' | 'secureContext'>
  readonly scheduler: ReadScheduler
  readonly laneOf: (key: LaneKey) => SessionLane
  /** Where sessions of a lane lead. */
  readonly originOf: (lane: SessionLane) => OriginConfig
  /** Whether another connection may be opened to the origin. */
  readonly mayOpen: () => boolean
  /** True where an origin that speaks no HTTP/2 is asked in HTTP/1.1, which TLS settles. */
  readonly isOptional: boolean
}

type SessionLane = Pick<Lane<unknown>, 'host' | 'quota' | 'tlsSession'>

interface Waiting {
  readonly key: LaneKey
  readonly request: object
  readonly deadline: number
  resolve(stream: Promise<OriginStream | null>): void
  reject(error: unknown): void
}

const WAITING_MAX = 10_000
/** How long an origin that chose HTTP/1.1 is not asked again. */
const HTTP1_FOR_MS = 60_000

export class OriginSessions {
  readonly #options: OriginSessionsOptions
  readonly #all = new Set<OriginSession>()
  /** By lane, the one that takes further requests. */
  readonly #current = new Map<string, OriginSession>()
  readonly #opening = new Map<string, Promise<OriginSession | null>>()
  #waiting: Waiting[] = []
  #closed = false
  /** Until when it is known to speak HTTP/1.1 alone (`performance.now()`). */
  #http1Until = 0

  constructor(options: OriginSessionsOptions) {
    this.#options = options
  }

  /** Connections, and those that are being opened. */
  get size(): number {
    return this.#all.size + this.#opening.size
  }
  /** Whether the origin is to be asked in HTTP/1.1. */
  get isHttp1(): boolean {
    return performance.now() < this.#http1Until
  }

  /** A stream of the researcher's session, null where there is none or no room in it. */
  acquireNow(key: LaneKey): OriginStream | null {
    const session = this.#current.get(key)
    if (!session?.hasRoom) return null
    session.take()
    return new OriginStream(session)
  }

  /**
   * A stream, of a new session or once there is room in the present one; null where the origin speaks HTTP/1.1, and may. Rejects with an
   * OriginError or NoFreeConnection.
   */
  acquire(key: LaneKey, request: object): Promise<OriginStream | null> {
    return this.#acquireBefore(performance.now() + this.#options.limits.originConnectTimeoutMs, key, request)
  }

  /** The deadline stays the same from one session to the next: an origin may end each before there is room in it. */
  async #acquireBefore(deadline: number, key: LaneKey, request: object): Promise<OriginStream | null> {
    if (this.isHttp1) return null
    const now = this.acquireNow(key)
    if (now) return now
    if (this.#current.get(key)?.isUsable) return await this.#wait(deadline, key, request)
    const session = await (this.#opening.get(key) ?? this.#open(key))
    if (session === null) return null
    return this.acquireNow(key) ?? (await this.#wait(deadline, key, request))
  }

  /** Cancels the wait of a request, if it waits. */
  cancel(request: object): void {
    this.#waiting = this.#waiting.filter((waiting) => waiting.request !== request)
  }

  #wait(deadline: number, key: LaneKey, request: object): Promise<OriginStream | null> {
    if (this.#waiting.length >= WAITING_MAX) return Promise.reject(new NoFreeConnection('researcher'))
    const { promise, resolve, reject } = Promise.withResolvers<OriginStream | null>()
    this.#waiting.push({ key, request, deadline, resolve, reject })
    return promise
  }

  #open(key: LaneKey): Promise<OriginSession | null> {
    const full = this.#makeRoom(key)
    if (full) return Promise.reject(new NoFreeConnection(full))
    const opening = this.#connect(key)
    this.#opening.set(key, opening)
    const forget = (): void => void this.#opening.delete(key)
    opening.then(forget, forget)
    return opening
  }

  /** Ends a session without streams where there are too many. Says of whom there are, where all have some. */
  #makeRoom(key: LaneKey): 'researcher' | 'origin' | null {
    const { mayOpen, limits } = this.#options
    const researcherId = researcherOf(key)
    const own = [...this.#all].filter((session) => session.researcherId === researcherId)
    const opening = [...this.#opening.keys()].filter((other) => researcherOf(other) === researcherId)
    if (own.length + opening.length >= limits.originConnectionsPerResearcherMax && !this.#endIdle(own))
      return 'researcher'
    return mayOpen() || (this.#endIdle(this.#all) && mayOpen()) ? null : 'origin'
  }

  #endIdle(sessions: Iterable<OriginSession>): boolean {
    for (const session of sessions) {
      if (session.streams > 0) continue
      this.#all.delete(session)
      session.destroy()
      return true
    }
    return false
  }

  async #connect(key: LaneKey): Promise<OriginSession | null> {
    const { limits, connect, scheduler, isOptional } = this.#options
    const lane = this.#options.laneOf(key)
    const origin = this.#options.originOf(lane)
    const { originConnectTimeoutMs: timeoutMs } = limits
    const startedAt = performance.now()
    const socket = await connectToOrigin(origin, {
      ...connect,
      timeoutMs,
      tlsSession: lane.tlsSession,
      zone: this.#options.origin.host,
      protocols: isOptional ? ['h2', 'http/1.1'] : ['h2'],
    })
    // A socket of TLS says what was settled; without TLS it was known before.
    const settled = origin.scheme === 'http' ? 'h2' : (socket as TLSSocket).alpnProtocol
    if (settled !== 'h2') {
      socket.destroy()
      if (!isOptional) throw new OriginError('origin_malformed', 'the origin speaks no HTTP/2')
      this.#http1Until = performance.now() + HTTP1_FOR_MS
      return null
    }
    if (this.#closed) {
      socket.destroy()
      throw new OriginError('origin_aborted', 'closed')
    }
    const session = new OriginSession(socket, {
      ...{ origin, limits, scheduler, laneKey: key, researcherId: lane.quota.researcherId },
      onChange: (changed) => this.#onChange(changed),
    })
    this.#all.add(session)
    socket.on('close', () => this.#all.delete(session))
    await session.ready(Math.max(1, timeoutMs - (performance.now() - startedAt)))
    this.#current.set(key, session)
    return session
  }

  #onChange(session: OriginSession): void {
    const { laneKey } = session
    const isCurrent = this.#current.get(laneKey) === session
    if (isCurrent && !session.isUsable) this.#current.delete(laneKey)
    for (const waiting of [...this.#waiting]) {
      if (waiting.key !== laneKey) continue
      if (isCurrent && session.isUsable && !session.hasRoom) return
      this.cancel(waiting.request)
      waiting.resolve(this.#acquireBefore(waiting.deadline, laneKey, waiting.request))
    }
  }

  /** Ends waits that took too long, and closes idle sessions: what still waits takes another one. */
  sweep(now: number): void {
    for (const waiting of this.#waiting.filter(({ deadline }) => deadline <= now)) {
      this.cancel(waiting.request)
      waiting.reject(new NoFreeConnection(this.#whoHasNoRoom(waiting.key)))
    }
    for (const session of this.#all) session.sweep(now)
  }

  /** An origin may let nobody begin a stream. */
  #whoHasNoRoom(key: LaneKey): 'researcher' | 'origin' {
    return (this.#current.get(key)?.streams ?? 0) > 0 ? 'researcher' : 'origin'
  }
  close(): void {
    this.#closed = true
    for (const session of this.#all) session.destroy()
  }
}
