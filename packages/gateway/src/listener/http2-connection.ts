/**
 * One HTTP/2 connection of a researcher: its place, its budget of work, and what of it is no request.
 *
 * Its time is up by the requests that it makes and not by its frames: a client that only pings asks for nothing. Nor does one
 * that lets no answer through: by a window of no bytes it could keep a stream, and with it the connection, for ever.
 *
 * What arrives is handed to Node in slices of a few frames when the connection may work (`http2-transport.ts`). Where one read
 * holds more frames that carry next to nothing than a client sends one by one, the session ends with ENHANCE_YOUR_CALM before
 * any of them is worked off (docs/decisions/0206, 0228).
 */
import { constants, type ServerHttp2Session, type ServerHttp2Stream } from 'node:http2'
import type { GatewayLimits } from '../settings.ts'
import { ChargedWork } from './charged-work.ts'
import type { Http2Transport } from './http2-transport.ts'
import type { PausableSocket } from './pausable-socket.ts'
import { CLAIMS, type Claim, type Occupant } from './places.ts'
import type { Peer } from './read-request.ts'
import type { WorkBudget, Worker } from './work-budget.ts'

/** How long a client may take to read that its connection ends. */
const FAREWELL_MS = 5_000
/**
 * One read is 64 KiB at most, and a client that sends each message as it comes has a TLS record around each, of 22 bytes, and 9
 * of the frame: so one that has more of them in it was put together to be dear.
 */
const TINY_FRAMES_MAX = 2_304
/** More streams than may be open at once begin in one turn only where they are reset as soon as they have begun. */
export const STREAMS_PER_CONNECTION_MAX = 128
/** What Node does for a stream after we were called, milliseconds. */
const STREAM_MS = 0.03
/** What a session that is ended for its manners costs the address that it came from, before it may have another, milliseconds. */
const PENALTY_MS = 25
/** As many refusals without a credential as the page of a browser that is not signed in may ask for, and no more. */
const STRANGERS_REFUSALS_MAX = 8
export interface Http2Services {
  readonly limits: GatewayLimits
  readonly budget: WorkBudget
  /** Something came that is no request: to be recorded. */
  readonly onMalformed: () => void
}

export class Http2Connection implements Occupant, Worker {
  readonly #session: ServerHttp2Session
  readonly #transport: Http2Transport
  readonly #socket: PausableSocket
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
  #refusals = 0

  /** @param socket the one below TLS, which can be kept from being read. */
  constructor(
    session: ServerHttp2Session,
    transport: Http2Transport,
    socket: PausableSocket,
    peer: Peer,
    services: Http2Services,
  ) {
    this.#session = session
    this.#transport = transport
    this.#socket = socket
    this.#services = services
    this.peer = peer
    this.#work = new ChargedWork(services.budget, peer.clientAddress, this)
    transport.onArrival = () => this.#onArrival()
    session.on('stream', (stream) => this.#onStream(stream))
    session.on('close', () => this.#work.close())
  }

  get claim(): Claim {
    if (!this.#proven) return CLAIMS.unproven
    if (this.#streams.size === 0) return CLAIMS.between
    for (const stream of this.#streams.keys()) if (!stream.writableEnded) return CLAIMS.atWork
    return CLAIMS.slow
  }

  /** Handles a request that has come. */
  serve(handle: () => void): void {
    // Node hands over what came with the read by which it ended.
    if (this.#session.destroyed) return
    const startedAt = performance.now()
    handle()
    const now = performance.now()
    this.#work.spend(now - startedAt + STREAM_MS, now)
  }

  /** The turn of what waits has come. */
  work(): void {
    this.#work.begin()
    this.#handOn(performance.now())
  }

  charge(ms: number): void {
    this.#work.add(ms)
  }
  identify(researcherId: string): void {
    if (researcherId !== '') this.#refusals = 0
    this.#work.identify(researcherId)
  }

  /** A request was refused in a way that ends a connection of HTTP/1; some may be so before one of HTTP/2 ends. */
  noteRefusal(): void {
    this.#refusals += 1
    if (this.#refusals === STRANGERS_REFUSALS_MAX) this.#session.close()
  }

  sweep(now: number): void {
    const { headTimeoutMs, keepAliveTimeoutMs } = this.#services.limits
    this.#sweepStreams(now)
    this.noteRefusedStreams()
    const waitMaxMs = this.#proven ? keepAliveTimeoutMs : headTimeoutMs
    const overMs = this.#streams.size === 0 ? now - this.#since - waitMaxMs : 0
    if (overMs > FAREWELL_MS) this.#session.destroy()
    else if (overMs > 0) this.#session.close()
  }

  /**
   * Records that streams were begun of which there is no request: their head was none, or there were too many at once. Node
   * resets them and tells nobody, but for the number of the last stream that was begun.
   */
  noteRefusedStreams(): void {
    const last = this.#session.destroyed ? 0 : (this.#session.state.lastProcStreamID ?? 0)
    if (last > Math.max(0, this.#lastStream)) this.#noteMalformed(last)
  }

  /** The session ends because of what its client sent. */
  notePenalty(): void {
    const { budget } = this.#services
    const account = budget.ofAddress(this.peer.clientAddress)
    budget.spend(account, PENALTY_MS, performance.now())
    budget.release(account)
  }

  /** Says that no further stream will be taken. */
  retire(): void {
    this.#session.close()
  }

  destroy(): void {
    this.#session.destroy()
  }

  #onStream(stream: ServerHttp2Stream): void {
    // Clients number theirs 1, 3, 5 …
    if (stream.id !== undefined) {
      if (stream.id > this.#lastStream + 2) this.#noteMalformed(stream.id)
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

  #onArrival(): void {
    const { tinyFrames, streams } = this.#transport
    if (tinyFrames > TINY_FRAMES_MAX || streams > STREAMS_PER_CONNECTION_MAX) this.#calmDown()
    else if (!this.#work.waits) {
      const now = performance.now()
      if (this.#work.mayBegin(now)) this.#handOn(now)
      else this.#waitForTurn()
    }
  }
  #handOn(startedAt: number): void {
    this.#transport.handOn()
    const now = performance.now()
    this.#work.spend(now - startedAt, now)
    if (this.#transport.isEmpty) this.#socket.resumeReading()
    else this.#waitForTurn()
  }
  #waitForTurn(): void {
    if (this.#session.destroyed) return
    this.#socket.pauseReading()
    this.#work.wait()
  }

  #calmDown(): void {
    if (this.#session.destroyed) return
    this.notePenalty()
    this.#services.onMalformed()
    this.#session.destroy(undefined, constants.NGHTTP2_ENHANCE_YOUR_CALM)
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
