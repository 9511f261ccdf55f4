/**
 * One HTTP/1.1 connection of a researcher, read by our own code (docs/decisions/0060). One request at a time: what a
 * pipelining client sends ahead waits, and after so much of it the reading stops. After bytes that are no request, or a
 * request that was not taken whole, nothing more is read: where the next would begin is anyone's guess.
 *
 * What was read is worked off in slices (`work-budget.ts`). While a connection waits for its turn nothing more of it is read.
 *
 * All that moves the phase stands here: which bytes are a head is in `request-head-reader.ts`, and what is left of a connection
 * that was upgraded in `http1-tunnel.ts`.
 */

import type { Socket } from 'node:net'
import { performance } from 'node:perf_hooks'
import { BodyReader, FramingError, ReadAhead, STRAY_BYTES, STRICT_CHUNK_SIZE_LINE } from '@sallyport/http1'
import { refuse } from '../../exchange/exchange.ts'
import type { DownstreamTunnel, TunnelSink } from '../../exchange/responder.ts'
import type { GatewayLimits } from '../../settings.ts'
import { ChargedWork } from '../connections/charged-work.ts'
import {
  EVICTION_RANKS,
  type EvictionRank,
  type LimitedConnection,
} from '../connections/connection-limiter.ts'
import { SLICE_MS, type WorkBudget, type Worker } from '../connections/work-budget.ts'
import type { ParsedRequest, Peer, UnreadAnswer, Unreadable } from '../read-request.ts'
import { Http1Responder } from './http1-responder.ts'
import { Http1Tunnel } from './http1-tunnel.ts'
import { RequestHeadReader } from './request-head-reader.ts'

export interface ConnectionServices {
  readonly limits: GatewayLimits
  readonly handle: (responder: Http1Responder, parsed: ParsedRequest, peer: Peer) => void
  /** Says what to answer to bytes that are no request, or a head that came too late, and how they are recorded. */
  readonly onUnreadable: (peer: Peer, bytes: Buffer, why: Unreadable) => UnreadAnswer
  readonly isDraining: () => boolean
  readonly budget: WorkBudget
  /** The end of each head whose connection is kept. */
  readonly keepAliveEnd: string
}

const MALFORMED: Unreadable = { status: 400, reason: 'malformed_request' }
/** The client closed, or will send no more, in the middle of a body. */
const ABORTED: Unreadable = { status: 400, reason: 'client_aborted' }
const HEAD_TOO_LARGE: Unreadable = { status: 431, reason: 'head_too_large' }
const BODY_TOO_LARGE: Unreadable = { status: 413, reason: 'body_too_large' }
const TOO_LATE: Unreadable = { status: 408, reason: 'request_timeout' }

/** Extensions carry nothing, so many of them are an attack. */
const EXTENSION_BYTES_MAX = 16 * 1024

/** So much is buffered that cannot be processed yet, because reading is how the end of a connection is noticed. */
const AHEAD_BYTES_MAX = 64 * 1024

/** What accepting a connection and closing it costs, milliseconds; charged with the first request. */
const ACCEPT_MS = 0.1
/** What a read takes, however little it brings, milliseconds: a system call, and what Node does around it. */
const READ_MS = 0.007
/** Of a body, so many parts are taken between two looks at the clock. */
const STEPS_PER_LOOK = 16

/** How long bytes after the last answer are read and discarded before the connection is closed. */
const LINGER_MS = 5_000

/** `first`: nothing has arrived yet. `between`: an answer is out and no request has begun. `flushing`: it is on its way, or the last of a tunnel. */
type Phase = 'first' | 'between' | 'head' | 'exchange' | 'flushing' | 'tunnel' | 'closing'

export class Http1Connection implements LimitedConnection, Worker {
  readonly socket: Socket
  readonly #peer: Peer
  readonly #services: ConnectionServices
  readonly #ahead = new ReadAhead()
  readonly #heads: RequestHeadReader
  readonly #body: BodyReader
  readonly #work: ChargedWork
  #phase: Phase = 'first'
  /** `performance.now()` at which the present wait began: for a head, or for the client to take what was written. */
  #since = performance.now()
  #responder: Http1Responder | null = null
  #tunnel: Http1Tunnel | null = null
  /** Whether a whole head has ever come. */
  #proven = false
  #running = false
  #inputEnded = false

  constructor(socket: Socket, peer: Peer, services: ConnectionServices) {
    this.socket = socket
    this.#peer = peer
    this.#services = services
    this.#work = new ChargedWork(services.budget, peer.clientAddress, this, ACCEPT_MS)
    const { headBytesMax: trailerBytesMax } = services.limits
    this.#heads = new RequestHeadReader(this.#ahead, peer, services.limits, (parsed) => this.#begin(parsed))
    this.#body = new BodyReader({
      sizeLine: STRICT_CHUNK_SIZE_LINE,
      stray: STRAY_BYTES,
      trailerBytesMax,
      extensionBytesMax: EXTENSION_BYTES_MAX,
    })
    socket.on('drain', () => this.#onDrain())
    socket.on('end', () => this.#onEnd())
    socket.on('error', () => socket.destroy())
    socket.on('close', () => this.#onClose())
  }

  get evictionRank(): EvictionRank {
    switch (this.#phase) {
      case 'first':
        return EVICTION_RANKS.unproven
      case 'between':
        return EVICTION_RANKS.idle
      case 'head':
        return this.#proven ? EVICTION_RANKS.slow : EVICTION_RANKS.unproven
      case 'flushing':
      case 'closing':
        return EVICTION_RANKS.slow
      default:
        return EVICTION_RANKS.active
    }
  }

  /** Ends a connection on which no request is under way or has begun to arrive; the others end with their next answer. */
  drain(): void {
    if (this.#phase === 'first' || this.#phase === 'between') this.destroy()
  }

  /** Processes what was read; valid during the call only. False stops the reading until the socket is resumed. */
  onRead(read: Buffer): boolean {
    if (this.#tunnel) return this.#tunnel.onRead(read)
    const now = performance.now()
    this.#work.add(READ_MS)
    if (this.#phase === 'closing') return this.#passOver(now)
    const bytes = this.#ahead.join(read)
    if (this.#mayRun(now)) this.#run(bytes, now)
    else this.#ahead.keep(bytes, 0)
    return !(this.#work.waits || this.#holdsEnough)
  }

  /** Discards what is read, at the pace of the work budget, so that the end of the connection is noticed. */
  #passOver(now: number): boolean {
    this.#work.spend(0, now)
    if (!this.#work.mayBegin(now)) this.#work.wait()
    return !this.#work.waits
  }

  /** The turn of what waits has come. */
  work(): void {
    this.#work.begin()
    if (this.#closing) this.socket.resume()
    else this.#resume(true)
  }
  charge(ms: number): void {
    this.#work.add(ms)
  }
  identify(researcherId: string): void {
    this.#work.identify(researcherId)
  }

  /** Whether what was read may be worked on now; otherwise it waits for its turn. */
  #mayRun(now: number): boolean {
    // What could not be taken anyway waits for that, and not for a turn.
    const wantsNothing = this.#responder !== null && !this.#responder.wantsBody
    if (this.#work.mayBegin(now) || (wantsNothing && !this.#work.waits)) return true
    this.#waitForTurn(now)
    return false
  }

  /** What waits for its turn has begun to arrive: its connection is not idle, and no client is late. */
  #waitForTurn(now: number): void {
    this.#noteHead(now)
    this.#work.wait()
  }

  /** The beginning of a head is there. */
  #noteHead(now: number): void {
    if (this.#phase !== 'first' && this.#phase !== 'between') return
    this.#phase = 'head'
    this.#since = now
  }

  get #closing(): boolean {
    return this.#phase === 'closing'
  }

  get #holdsEnough(): boolean {
    return this.#ahead.length > AHEAD_BYTES_MAX && this.#responder !== null && !this.#responder.wantsBody
  }

  /** Works on what was read, for a slice of time from `startedAt` on. */
  #run(bytes: Buffer, startedAt: number): void {
    let at = 0
    let steps = 0
    let isOver = true
    this.#running = true
    try {
      while (at < bytes.length && !this.#closing) {
        const responder = this.#responder
        if (responder !== null && !responder.wantsBody) break
        const looks = steps > 0 && (responder === null || steps % STEPS_PER_LOOK === 0)
        if (looks && performance.now() - startedAt >= SLICE_MS) {
          isOver = false
          break
        }
        steps += 1
        const next = responder ? this.#body.step(bytes, at, responder) : this.#readHead(bytes, at)
        if (next < 0) break
        at = next
        if (this.#phase === 'tunnel') break
      }
    } catch (error) {
      this.#fail(whyUnreadable(error), bytes.subarray(at))
    } finally {
      this.#running = false
    }
    const now = performance.now()
    this.#work.spend(now - startedAt, now)
    if (this.#closing) return
    this.#ahead.keep(bytes, at)
    // What looked like the beginning of a head was the empty line that may stand before one.
    if (this.#phase === 'head' && this.#ahead.length === 0) this.#phase = this.#proven ? 'between' : 'first'
    if (!isOver) this.#waitForTurn(now)
  }

  /** Goes on with what was held back. */
  #resume(isTurn = false): void {
    if (this.#running || this.#work.waits || this.#phase === 'closing' || this.socket.destroyed) return
    if (this.#ahead.length > 0) {
      const now = performance.now()
      if (isTurn || this.#mayRun(now)) this.#run(this.#ahead.bytes, now)
    }
    if (this.#work.waits) return
    if (this.#inputEnded) this.#onEnd()
    else if (!this.#holdsEnough) this.socket.resume()
  }

  #readHead(bytes: Buffer, at: number): number {
    const next = this.#heads.step(bytes, at)
    if (next < 0) this.#noteHead(performance.now())
    return next
  }

  #begin(parsed: ParsedRequest): void {
    this.#proven = true
    this.#phase = 'exchange'
    this.#work.locate(parsed.request.clientAddress)
    this.#body.begin(parsed.request.bodyBytes ?? 'chunked')
    const close = !parsed.keepsAlive
    this.#responder = new Http1Responder(this, parsed.request, close, this.#services.keepAliveEnd)
    this.#services.handle(this.#responder, parsed, this.#peer)
  }

  /** Whether the body of the present request has been taken whole. */
  get requestEnded(): boolean {
    return this.#body.done
  }
  /** Whether the connection is to end with an answer whose head is written now. */
  get isDraining(): boolean {
    return this.#services.isDraining()
  }
  /** The body is wanted (again). */
  readOn(): void {
    this.#resume()
  }

  /** The answer was written. It is over when the system has taken it. */
  finishAnswer(responder: Http1Responder): void {
    if (this.socket.writableLength === 0) {
      this.#onAnswered(responder)
      return
    }
    this.#beginFlushing()
    this.socket.write('', (error) => {
      // On an error the connection has ended, and its `close` event is what notifies the owner.
      if (!error) this.#onAnswered(responder)
    })
  }

  #beginFlushing(): void {
    this.#phase = 'flushing'
    this.#since = performance.now()
  }

  #onAnswered(responder: Http1Responder): void {
    if (this.#responder !== responder) return
    this.#responder = null
    // Of an answer that began before the end of the gateway, the head could not say so. What was sent ahead is answered still.
    const endsUnsaid = this.isDraining && this.#ahead.length === 0
    const close = responder.closes || !this.#body.done || endsUnsaid
    this.#phase = close ? 'closing' : 'between'
    this.#since = performance.now()
    responder.onAnswered()
    if (!close) this.#resume()
    else if (this.#body.done) this.socket.destroySoon()
    else this.#linger()
  }

  /**
   * Closes our side only, and reads on for a while: bytes that arrive at a closed socket are answered with a reset, which
   * may reach the client before it has read why it was refused (RFC 9112, section 9.6).
   */
  #linger(): void {
    this.#phase = 'closing'
    this.#since = performance.now()
    if (this.#inputEnded) {
      this.socket.destroySoon()
      return
    }
    this.#ahead.clear()
    this.socket.end()
    this.socket.resume()
  }

  /** Speaks no HTTP from here on. */
  becomeTunnel(head: string, sink: TunnelSink): DownstreamTunnel {
    this.socket.write(head, 'latin1')
    this.#phase = 'tunnel'
    this.#responder = null
    this.#tunnel = new Http1Tunnel(this.socket, sink, this.#ahead, () => this.#beginFlushing())
    return this.#tunnel
  }

  destroy(): void {
    this.socket.destroy()
  }
  /** Ends it so that the other side sees it broken off: TLS without the message that closes it, TCP by a reset. */
  reset(): void {
    if (this.#peer.secure) this.socket.destroy()
    else this.socket.resetAndDestroy()
  }

  /** Ends a connection whose head is late, or that nobody has used for long. `now` is `performance.now()`. */
  sweep(now: number): void {
    const { headTimeoutMs, keepAliveTimeoutMs, answerIdleTimeoutMs } = this.#services.limits
    const waitedMs = now - this.#since
    if (this.#phase === 'between') {
      if (waitedMs > keepAliveTimeoutMs) this.socket.destroy()
    } else if (this.#phase === 'first' || this.#phase === 'head') {
      if (waitedMs > headTimeoutMs && !this.#work.waits) this.#fail(TOO_LATE, this.#ahead.bytes)
    } else if (this.#phase === 'flushing') {
      if (waitedMs > answerIdleTimeoutMs) this.socket.destroy()
    } else if (this.#phase === 'closing') {
      if (waitedMs > LINGER_MS) this.socket.destroy()
    }
  }

  #onDrain(): void {
    if (this.#tunnel) this.#tunnel.onDrain()
    else this.#responder?.owner?.onDownstreamDrain()
  }

  /** The researcher has closed, or will send no more: a request that is not whole never will be. */
  #onEnd(): void {
    this.#inputEnded = true
    // What was read before is worked on first.
    if (this.#work.waits) return
    const responder = this.#responder
    if (this.#tunnel) this.#tunnel.onEnd()
    else if (this.#phase === 'head') this.#fail(MALFORMED, this.#ahead.bytes)
    else if (this.#phase === 'flushing' && this.#ahead.length > 0) return
    else if (this.#phase === 'flushing' || this.#phase === 'closing') this.socket.destroySoon()
    else if (responder && !this.#body.done) {
      // The rest may be what is held back.
      if (responder.wantsBody || this.#ahead.length === 0) this.#fail(ABORTED, this.#ahead.bytes)
    } else this.socket.destroy()
  }

  #fail(why: Unreadable, bytes: Buffer): void {
    if (this.#phase === 'closing') return
    const responder = this.#responder
    this.#phase = 'closing'
    this.#since = performance.now()
    if (responder) {
      responder.closes = true
      if (responder.owner)
        responder.owner.onDownstreamBroken(refuse(why.status, 'gate', why.reason, { close: true }))
      else this.socket.destroy()
      return
    }
    const { answer, record } = this.#services.onUnreadable(this.#peer, bytes, why)
    if (this.socket.writable) this.socket.write(answer, 'latin1')
    if (why === TOO_LATE) this.socket.destroySoon()
    else this.#linger()
    record()
  }

  #onClose(): void {
    const responder = this.#responder
    this.#work.close()
    this.#responder = null
    this.#phase = 'closing'
    responder?.onGone()
    this.#tunnel?.onClosed()
  }
}

function whyUnreadable(error: unknown): Unreadable {
  if (!(error instanceof FramingError)) throw error
  if (error.tooLarge === null) return MALFORMED
  return error.tooLarge === 'head' ? HEAD_TOO_LARGE : BODY_TOO_LARGE
}
