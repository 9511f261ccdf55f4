/** A connection of HTTP/2 to an origin, for one researcher: how many requests it carries, and until when it may be given more. */
import {
  type ClientHttp2Session,
  type ClientHttp2Stream,
  type ClientSessionRequestOptions,
  connect,
} from 'node:http2'
import type { Socket } from 'node:net'
import type { OriginConfig } from '@sallyport/contract'
import type { GatewayLimits } from '../../../settings.ts'
import type { LaneKey } from '../connection-quotas.ts'
import { OriginError } from '../origin-error.ts'
import type { PausedReader, ReadScheduler } from '../read-scheduler.ts'

/**
 * Of each stream, so much of an answer may be under way before it is read: 6 MB/s over 40 ms, and with 128 streams 32 MiB for one researcher.
 * Node gives the window of a connection back as soon as bytes arrive.
 */
const STREAM_WINDOW_BYTES = 256 * 1024
const CONNECTION_WINDOW_BYTES = 4 * STREAM_WINDOW_BYTES
/** Lines of a head, as over HTTP/1.1, and those of the protocol itself. */
const HEADER_PAIRS_MAX = 1_001
/** Frames that are no part of an answer, a second. */
const CONTROL_FRAMES_MAX = 1_000
const INVALID_FRAMES_MAX = 16
/** A request that is given up with nothing heard for so long, of any: the connection may be dead. */
const SUSPICIOUS_SILENCE_MS = 5_000

/** Errors for which the origin is to blame; of others its connection has ended, or it has ended the session. */
const PROTOCOL_ERRORS = new Set(['ERR_HTTP2_ERROR', 'ERR_HTTP2_TOO_MANY_INVALID_FRAMES'])

export interface OriginSessionOptions {
  readonly origin: OriginConfig
  readonly limits: GatewayLimits
  readonly laneKey: LaneKey
  readonly researcherId: string
  readonly scheduler: ReadScheduler
  /** A stream is over, or the session takes no more of them. */
  readonly onChange: (session: OriginSession) => void
}

export class OriginSession {
  readonly #session: ClientHttp2Session
  readonly #socket: Socket
  readonly #options: OriginSessionOptions
  #streams = 0
  /** `performance.now()` since when it has had no stream. */
  #idleSince = performance.now()
  #heardAt = performance.now()
  #controlFrames = 0
  #countedSince = performance.now()
  #isEnding = false
  /** Why it ended, where its origin broke the protocol. */
  failure: OriginError | null = null

  /** @param socket connected, and not read yet. */
  constructor(socket: Socket, options: OriginSessionOptions) {
    this.#options = options
    this.#socket = socket
    const { origin, limits } = options
    const session = connect(`${origin.scheme}://origin`, {
      createConnection: () => socket,
      settings: {
        enablePush: false,
        initialWindowSize: STREAM_WINDOW_BYTES,
        maxHeaderListSize: limits.originHeadBytesMax,
      },
      maxHeaderListPairs: HEADER_PAIRS_MAX,
      maxSendHeaderBlockLength: 2 * limits.headBytesMax,
      maxSessionInvalidFrames: INVALID_FRAMES_MAX,
      // What a researcher sends twice is sent twice.
      strictSingleValueFields: false,
    } as Parameters<typeof connect>[1])
    this.#session = session
    session.on('connect', () => session.setLocalWindowSize(CONNECTION_WINDOW_BYTES))
    session.on('ping', () => this.#noteControlFrame())
    session.on('remoteSettings', () => this.#noteControlFrame())
    session.on('altsvc', () => this.#noteControlFrame())
    session.on('origin', () => this.#noteControlFrame())
    session.on('goaway', () => this.#end())
    session.on('error', (error: NodeJS.ErrnoException) => this.noteError(error))
    session.on('close', () => this.#end())
  }

  get scheme(): string {
    return this.#options.origin.scheme
  }
  get laneKey(): LaneKey {
    return this.#options.laneKey
  }
  get researcherId(): string {
    return this.#options.researcherId
  }
  get streams(): number {
    return this.#streams
  }
  get isOver(): boolean {
    return this.#session.destroyed
  }
  /** Whether it may be given further requests, now or when others are over. */
  get isUsable(): boolean {
    return !this.#isEnding && !this.#session.closed && !this.#session.destroyed
  }
  get hasRoom(): boolean {
    const { maxConcurrentStreams = Number.POSITIVE_INFINITY } = this.#session.remoteSettings
    const max = Math.min(maxConcurrentStreams, this.#options.limits.originConnectionsPerResearcherMax)
    return this.isUsable && this.#streams < max
  }

  /** Resolves when the origin has shown that it speaks HTTP/2. Rejects with an OriginError. */
  async ready(timeoutMs: number): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const session = this.#session
    const timer = setTimeout(() => reject(new OriginError('origin_timeout', 'HTTP/2 settings')), timeoutMs)
    session.once('remoteSettings', () => resolve())
    session.once('close', () =>
      reject(this.failure ?? new OriginError('origin_malformed', 'closed before HTTP/2 settings')),
    )
    try {
      await promise
    } catch (error) {
      this.destroy()
      throw error
    } finally {
      clearTimeout(timer)
    }
  }

  /** A stream is about to begin; `release` is called once when it is over. */
  take(): void {
    this.#streams += 1
  }
  release(): void {
    this.#streams -= 1
    this.#idleSince = performance.now()
    this.#options.onChange(this)
  }

  /** Begins a stream. Throws where there can be none. */
  request(rawHeaders: readonly string[], options: ClientSessionRequestOptions): ClientHttp2Stream {
    // Node takes a list, so that order and repetition stay; its typings know objects alone.
    return this.#session.request(rawHeaders as never, options)
  }

  /** Counts what was read. False where it is somebody else's turn: pause until the reader is called. */
  spend(units: number, reader: PausedReader): boolean {
    return this.#options.scheduler.spend(this.#options.researcherId, units, reader)
  }
  /** The session, or a stream with it, has failed: Node tells streams first. */
  noteError({ code = '' }: NodeJS.ErrnoException): void {
    if (PROTOCOL_ERRORS.has(code)) this.failure ??= new OriginError('origin_malformed', code)
  }
  noteHeard(): void {
    this.#heardAt = performance.now()
  }
  /** A request was given up unanswered. */
  suspect(): void {
    if (performance.now() - this.#heardAt > SUSPICIOUS_SILENCE_MS) this.#end()
  }

  /** Ends it where it has been idle for too long, or is over and its origin stays. `now` is `performance.now()`. */
  sweep(now: number): void {
    const { originKeepAliveTimeoutMs } = this.#options.limits
    if (this.#streams > 0) return
    if (!this.isUsable || now - this.#idleSince > originKeepAliveTimeoutMs) this.destroy()
  }
  /** Node's session waits for an origin to take what is written, or to close: the socket ends without either. */
  destroy(): void {
    this.#session.destroy()
    setImmediate(() => this.#socket.destroy())
  }

  #noteControlFrame(): void {
    const now = performance.now()
    if (now - this.#countedSince > 1_000) {
      this.#countedSince = now
      this.#controlFrames = 0
    }
    this.#controlFrames += 1
    if (this.#controlFrames <= CONTROL_FRAMES_MAX) return
    this.failure ??= new OriginError('origin_malformed', 'HTTP/2: a flood of frames')
    this.destroy()
  }

  /** Lets what is under way finish. */
  #end(): void {
    if (this.#isEnding) return
    this.#isEnding = true
    if (!this.#session.destroyed) this.#session.close()
    this.#options.onChange(this)
  }
}
