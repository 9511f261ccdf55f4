/**
 * One downstream HTTP/2 connection: its eviction rank, its work budget, and what on it is no request.
 *
 * Its time is up by the requests that it makes and not by its frames: a client that only pings asks for nothing. Nor does one
 * that lets no answer through: by a window of no bytes it could keep a stream, and with it the connection, for ever.
 *
 * Node reads the frames, a whole read of them at once, and lets nobody in between. So requests that come when it is not the
 * client's turn wait here, and nothing more is read meanwhile; and where one read holds more frames that carry next to
 * nothing than a client sends one by one, the session ends with ENHANCE_YOUR_CALM (docs/decisions/0206). The address of a
 * client that was dear in one of these ways is served in slices of a few frames for a while (`sliced-reads.ts`).
 */
import { constants, type ServerHttp2Session, type ServerHttp2Stream } from 'node:http2'
import type { GatewayLimits } from '../../settings.ts'
import { ChargedWork } from '../connections/charged-work.ts'
import {
  EVICTION_RANKS,
  type EvictionRank,
  type LimitedConnection,
} from '../connections/connection-limiter.ts'
import { SLICE_MS, type WorkBudget, type Worker } from '../connections/work-budget.ts'
import type { Peer } from '../read-request.ts'
import { HELD_BYTES_MAX, HELD_POLL_MS, UPLOAD_WINDOW_BYTES, type UploadWindows } from './upload-windows.ts'

/** How long a client may take to read that its connection ends. */
const FAREWELL_MS = 5_000
/** The same of one that was dear, of which nothing more is read: to decrypt megabytes that nobody needs is work, too. */
const LINGER_MS = 1_000
/** A frame that carries less is hardly worth its head and what a stream's event costs. */
const TINY_FRAME_BYTES = 64
/** After so many of them in one turn of the event loop nothing more is read in it: that is half a millisecond of work. */
const TINY_FRAMES_PER_TURN = 256
/**
 * What is read already cannot be put off. One read is 64 KiB at most, and a client that sends each message as it comes has a TLS
 * record around each, of 22 bytes, and 9 of the frame: so one that has more of them in it was put together to be dear.
 */
const TINY_FRAMES_MAX = 2_048 + TINY_FRAMES_PER_TURN
/** A read with so many, of a client that has spent what it earns, is dense; the session closes, and after so many it ends. */
const DENSE_FRAMES = 1_024
const DENSE_READS_MAX = 8
/** More streams than may be open at once begin in one turn only where they are reset as soon as they have begun. */
export const STREAMS_PER_CONNECTION_MAX = 128
/** What Node does for a frame in a TLS record of its own, and for a stream, before and after we are called, milliseconds. */
const FRAME_MS = 0.006
const STREAM_MS = 0.05
/** Charged to the address of a session that is ended for abuse, before it may open another, milliseconds. */
const PENALTY_MS = 50
/** As many refusals without a credential as the page of a browser that is not signed in may ask for, and no more. */
const STRANGERS_REFUSALS_MAX = 8
/** Requests of streams that were reset still wait, so more can wait than streams may be open. */
const WAITING_MAX = 256

export interface Http2Services {
  readonly limits: GatewayLimits
  readonly budget: WorkBudget
  /** Which connections may have large windows. */
  readonly windows: UploadWindows
  /** Something came that is no request: to be recorded. */
  readonly onMalformed: () => void
  /** What came took more than its share: the client's next connections are to be read in slices. */
  readonly onDense: () => void
  /** That was so of the client before, and this connection is read in slices. */
  readonly isDense: boolean
}

/** A source of bytes whose reading can be paused. */
export interface PausableReads {
  pauseReading(): void
  resumeReading(): void
  /** Ends the connection at once, whatever is unread. */
  destroy(): void
}

export class Http2Connection implements LimitedConnection, Worker {
  readonly #session: ServerHttp2Session
  readonly #reads: PausableReads
  readonly #services: Http2Services
  /** The other end, as every request of the connection says of itself. */
  readonly peer: Peer
  #proven = false
  /** Those under way, and since when their answer has been written and waits to be taken; 0 where it is not written yet. */
  readonly #streams = new Map<ServerHttp2Stream, number>()
  /** `performance.now()` since when it has had no stream. */
  #since = performance.now()
  /** The last stream of which there is a request, or a record that it was none. */
  #lastStream = -1
  readonly #work: ChargedWork
  /** Who made the last request, where recognized, and in whose name the windows are large; empty where they are not. */
  #researcherId = ''
  #widenedFor = ''
  /** Looks at what is held, while the windows are large; and whether it is too much, so that nothing more is read. */
  #heldPoll: NodeJS.Timeout | undefined
  #holdsTooMuch = false
  /** Requests that wait for their turn. */
  #requests: (() => void)[] = []
  #refusals = 0
  /** In this turn of the event loop: whether anything was counted, frames that carried next to nothing, and streams. */
  #counts = false
  #tinyFrames = 0
  #begun = 0
  #denseReads = 0
  /** Until it ends whatever its client does. */
  #farewell: NodeJS.Timeout | undefined
  /** Since when nothing more is read of it (`performance.now()`); 0 where it is read. */
  #lingersSince = 0

  /** @param reads what keeps the client's bytes from the session. */
  constructor(session: ServerHttp2Session, reads: PausableReads, peer: Peer, services: Http2Services) {
    this.#session = session
    this.#reads = reads
    this.#services = services
    this.peer = peer
    this.#work = new ChargedWork(services.budget, peer.clientAddress, this)
    session.on('stream', (stream) => this.#onStream(stream))
    session.on('ping', () => this.noteFrame(0, FRAME_MS))
    session.on('remoteSettings', () => this.noteFrame(0, FRAME_MS))
    session.on('close', () => {
      this.#requests = []
      this.#work.close()
      clearInterval(this.#heldPoll)
      clearTimeout(this.#farewell)
      if (this.#widenedFor !== '') services.windows.release(this.#widenedFor)
    })
  }

  get evictionRank(): EvictionRank {
    if (!this.#proven) return EVICTION_RANKS.unproven
    if (this.#streams.size === 0) return EVICTION_RANKS.idle
    for (const stream of this.#streams.keys()) if (!stream.writableEnded) return EVICTION_RANKS.active
    return EVICTION_RANKS.slow
  }

  /** Handles a request, at once or when it is the connection's turn. */
  serve(handle: () => void): void {
    // Node hands over what came with the read by which it ended.
    if (this.#session.destroyed) return
    const now = performance.now()
    if (this.#work.mayBegin(now)) {
      this.#handle(handle, now)
      return
    }
    this.#requests.push(handle)
    if (this.#requests.length > WAITING_MAX) this.#calmDown()
    else this.#waitForTurn()
  }

  /** The turn of what waits has come. */
  work(): void {
    this.#work.begin()
    const startedAt = performance.now()
    const requests = this.#requests
    let done = 0
    for (; done < requests.length; done += 1) {
      const now = performance.now()
      if (now - startedAt >= SLICE_MS) break
      const handle = requests[done]
      if (handle) this.#handle(handle, now)
    }
    requests.splice(0, done)
    if (requests.length > 0) this.#waitForTurn()
    else this.#resumeReading()
  }

  charge(ms: number): void {
    this.#work.add(ms)
  }
  /** Where the request comes from that is handled now. */
  locate(address: string): void {
    this.#work.locate(address)
  }
  identify(researcherId: string): void {
    if (researcherId !== '') this.#refusals = 0
    this.#researcherId = researcherId
    this.#work.identify(researcherId)
  }

  /** A body is to be read: where that is a researcher's, more of it may be under way from now on. */
  noteUpload(): void {
    const { windows, isDense } = this.#services
    const isKnown = this.#researcherId !== '' && this.#widenedFor === ''
    const isEnding = this.#session.closed || this.#session.destroyed
    if (!isKnown || isDense || isEnding || !windows.acquire(this.#researcherId)) return
    this.#widenedFor = this.#researcherId
    this.#session.setLocalWindowSize(UPLOAD_WINDOW_BYTES)
    this.#session.settings({ initialWindowSize: UPLOAD_WINDOW_BYTES })
    this.#heldPoll = setInterval(() => this.#pollHeld(), HELD_POLL_MS).unref()
  }

  /** A request was refused in a way that ends a connection of HTTP/1; some may be so before one of HTTP/2 ends. */
  noteRefusal(): void {
    this.#refusals += 1
    if (this.#refusals !== STRANGERS_REFUSALS_MAX) return
    this.#session.close()
    if (!this.#services.isDense) {
      this.#services.onDense()
      return
    }
    this.notePenalty()
    this.#linger()
  }

  /** A frame came that carried so many bytes, and took so long. */
  noteFrame(bytes: number, tookMs: number): void {
    const now = performance.now()
    this.#work.spend(tookMs + FRAME_MS, now)
    if (bytes < TINY_FRAME_BYTES) this.#noteTinyFrame()
    if (!this.#work.mayBegin(now)) this.#waitForTurn()
  }

  /** A slice of what came was worked on, for so long. */
  noteSlice(tookMs: number): void {
    const now = performance.now()
    this.#work.spend(tookMs, now)
    if (!this.#work.mayBegin(now)) this.#waitForTurn()
  }

  sweep(now: number): void {
    const { headTimeoutMs, keepAliveTimeoutMs } = this.#services.limits
    if (this.#lingersSince > 0) {
      if (now - this.#lingersSince > LINGER_MS) this.#reads.destroy()
      return
    }
    this.#sweepStreams(now)
    this.noteRefusedStreams()
    const waitMaxMs = this.#proven ? keepAliveTimeoutMs : headTimeoutMs
    const overMs = this.#streams.size === 0 ? now - this.#since - waitMaxMs : 0
    if (overMs > FAREWELL_MS) this.#cut()
    else if (overMs > 0) this.#session.close()
  }

  /**
   * Records that streams were begun of which there is no request: their head was none, or there were too many at once. Node
   * resets them without an event; only the number of the last stream that was begun shows it.
   */
  noteRefusedStreams(): void {
    const last = this.#session.destroyed ? 0 : (this.#session.state.lastProcStreamID ?? 0)
    if (last > Math.max(0, this.#lastStream)) this.#noteMalformed(last)
  }

  /** The session ends because of what its client sent. */
  notePenalty(): void {
    const { budget, onDense } = this.#services
    onDense()
    const account = budget.acquireForAddress(this.peer.clientAddress)
    budget.spend(account, PENALTY_MS, performance.now())
    budget.release(account)
  }

  /** Says that no further stream will be taken. */
  drain(): void {
    this.#session.close()
  }

  destroy(): void {
    this.#session.destroy()
    // One that was closed before waits for its client's end, which is to be heard, or for the client to read. It may do neither.
    if (this.#lingersSince > 0) this.#reads.destroy()
    else {
      this.#reads.resumeReading()
      this.#farewell ??= setTimeout(
        () => this.#cut(),
        Math.min(FAREWELL_MS, this.#services.limits.drainTimeoutMs),
      )
    }
  }
  #cut(): void {
    this.#session.destroy()
    this.#reads.destroy()
  }

  #onStream(stream: ServerHttp2Stream): void {
    this.#noteInTurn()
    this.#begun += 1
    if (this.#begun > STREAMS_PER_CONNECTION_MAX) this.#calmDown()
    // Clients number theirs 1, 3, 5 …, but for those that stand for priorities alone, which Firefox and nghttp have before the first.
    if (stream.id !== undefined) {
      const isFirst = this.#lastStream < 0
      if (!isFirst && stream.id > this.#lastStream + 2) this.#noteMalformed(stream.id)
      else this.#lastStream = stream.id
    }
    this.#proven = true
    this.#streams.set(stream, 0)
    stream.on('close', () => {
      this.#streams.delete(stream)
      this.#since = performance.now()
    })
  }

  #noteMalformed(stream: number): void {
    this.#lastStream = stream
    this.#services.onMalformed()
  }

  #handle(handle: () => void, startedAt: number): void {
    handle()
    const now = performance.now()
    this.#work.spend(now - startedAt + STREAM_MS, now)
  }

  #waitForTurn(): void {
    if (this.#work.waits || this.#session.destroyed) return
    this.#reads.pauseReading()
    this.#work.wait()
  }

  #pollHeld(): void {
    let bytes = 0
    for (const stream of this.#streams.keys()) bytes += stream.readableLength
    const heldTooMuch = this.#holdsTooMuch
    this.#holdsTooMuch = bytes > HELD_BYTES_MAX
    if (this.#holdsTooMuch) this.#reads.pauseReading()
    else if (heldTooMuch && !this.#work.waits) this.#resumeReading()
  }
  #resumeReading(): void {
    if (this.#lingersSince === 0 && !this.#holdsTooMuch) this.#reads.resumeReading()
  }

  /** Something is counted that is counted by turns of the event loop. */
  #noteInTurn(): void {
    if (this.#counts) return
    this.#counts = true
    setImmediate(() => {
      this.#counts = false
      this.#tinyFrames = 0
      this.#begun = 0
    })
  }
  #noteTinyFrame(): void {
    this.#noteInTurn()
    this.#tinyFrames += 1
    if (this.#tinyFrames === TINY_FRAMES_PER_TURN) this.#waitForTurn()
    if (this.#tinyFrames === DENSE_FRAMES && this.#work.waits) this.#noteDenseRead()
    if (this.#tinyFrames === TINY_FRAMES_MAX) this.#calmDown()
  }
  /** An honest client opens another connection for what comes next, which is read in slices. */
  #noteDenseRead(): void {
    this.#services.onDense()
    this.#session.close()
    this.#denseReads += 1
    if (this.#denseReads === DENSE_READS_MAX) this.#calmDown()
  }
  #calmDown(): void {
    if (this.#session.destroyed) return
    this.notePenalty()
    this.#services.onMalformed()
    this.#session.destroy(undefined, constants.NGHTTP2_ENHANCE_YOUR_CALM)
    this.#linger()
  }
  /** What was answered may still go out; what comes is left in the socket, and the next sweep but one ends it. */
  #linger(): void {
    if (this.#lingersSince > 0) return
    this.noteRefusedStreams()
    this.#lingersSince = performance.now()
    this.#reads.pauseReading()
  }

  /** Ends the streams whose answer nobody takes: they are in the record at their end. */
  #sweepStreams(now: number): void {
    for (const [stream, since] of this.#streams) {
      if (since === 0 && stream.writableEnded) this.#streams.set(stream, now)
      else if (since > 0 && now - since > this.#services.limits.answerIdleTimeoutMs)
        stream.close(constants.NGHTTP2_INTERNAL_ERROR)
    }
  }
}
