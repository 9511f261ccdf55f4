/** One connection to an origin: carries one request of its researcher at a time, and knows whether it may carry another. */
import type { Socket } from 'node:net'
import {
  CHUNK_END,
  chunkStart,
  lastChunk,
  type ResponseHandler,
  ResponseParser,
  TruncatedError,
} from '@sallyport/http1'
import type { RewrittenHeaders } from '../forward/headers/response-headers.ts'
import type { Lane } from './connection-quotas.ts'
import { IdleLinks } from './idle-connections.ts'
import { keepReading } from './keep-reading.ts'
import { OriginError } from './origin-error.ts'
import { type ReadScheduler, ScheduledReader } from './read-scheduler.ts'

/** Who is answered: the parser's events, and those of the connection. */
export interface ResponseSink extends ResponseHandler<RewrittenHeaders> {
  /** After all events of one read: what was collected can go out in one write. */
  onReadEnd(): void
  /** The connection takes more of the request again. */
  onDrain(): void
  /** The connection failed before the response was whole; nothing follows. */
  onFailure(error: OriginError): void
  /** The origin closed a tunnel. */
  onTunnelEnd(): void
}

/** What a request is, of which the head is sent. */
export interface SentRequest {
  readonly method: string
  /** Whether it asks for a WebSocket. */
  readonly upgrade: boolean
  /** Whether `writeBody` and `endBody` come after it. */
  readonly bodyFollows: boolean
  /** Whether the length of the body is not known before its end. */
  readonly chunked: boolean
  /** Whether the head of its answer is taken as browsers would take it. */
  readonly lenient: boolean
}

/** What carries one request to an origin and its answer back, whatever the protocol. */
export interface OriginExchange {
  /** Sends a request head, as it is in HTTP/1.1; `sink` hears of the answer. */
  start(head: string, sent: SentRequest, sink: ResponseSink): void
  /** Sends a part of the body. False: wait for `onDrain`. */
  writeBody(chunk: Buffer): boolean
  /** The request is whole. Trailers are sent where there is a place for them. */
  endBody(rawTrailers: readonly string[]): void
  /** Between these, writes are collected and leave together. */
  cork(): void
  uncork(): void
  /** Stops reading: the researcher takes no more for now. */
  pause(): void
  resume(): void
  /** Nothing was sent, and nothing will be. */
  giveBack(): void
  /** Ends it at once; the sink hears nothing more. */
  destroy(): void
}

/** A read that costs less is not worth counting: see `ReadScheduler`. */
const COUNTED_UNITS_MIN = 256

export class OriginConnection extends ScheduledReader implements OriginExchange {
  readonly #parser: ResponseParser<RewrittenHeaders>
  readonly #scheduler: ReadScheduler
  readonly #onIdle: (connection: OriginConnection) => void
  #socket: Socket | null = null
  #sink: ResponseSink | null = null
  #requestSent = true
  #hasBody = false
  #chunked = false
  /** An answer began before its request was sent whole: what the origin takes the rest for is anyone's guess. */
  #answeredEarly = false
  #closed = false
  /** Whether it was made to read on where a write fails, for the first body. */
  #readsOn = false
  /** The origin takes nothing more; an answer may still come. */
  #writeFailed: OriginError | null = null
  /** `performance.now()` from which the connection is too old to be used again. */
  staleAt = 0
  /** The lane of its researcher, for as long as it lives: see `OriginPool`. */
  readonly lane: Lane<OriginConnection>
  /** Whether it counts against its researcher's quota: while it is being opened, and while it carries a request. */
  held = false
  /** Kept by `IdleConnections`. */
  readonly idleLinks = new IdleLinks<OriginConnection>()

  /** `onIdle` is called each time when the connection can carry the next request. */
  constructor(
    lane: Lane<OriginConnection>,
    headBytesMax: number,
    scheduler: ReadScheduler,
    onIdle: (connection: OriginConnection) => void,
  ) {
    super()
    this.lane = lane
    this.#scheduler = scheduler
    this.#parser = new ResponseParser(headBytesMax)
    this.#onIdle = onIdle
  }

  /** Uses the connected socket; `onClose` is called once, when it has closed for whatever reason. */
  attach(socket: Socket, onClose: () => void): void {
    this.#socket = socket
    socket.on('drain', () => this.#sink?.onDrain())
    socket.on('end', () => this.#onEnd())
    socket.on('error', (error) => this.#fail(new OriginError('origin_aborted', error.message)))
    socket.on('close', () => {
      this.#fail(new OriginError('origin_aborted', 'closed'))
      onClose()
    })
    if (socket.destroyed) onClose()
  }

  get usable(): boolean {
    return !this.#closed && this.#socket !== null && this.#socket.writable && this.#writeFailed === null
  }
  /** How long the origin promised to keep the connection, null where it did not say. */
  get keepAliveMs(): number | null {
    return this.#parser.keepAliveMs
  }

  /** Sends a request head. */
  start(
    head: string,
    { method, upgrade, bodyFollows, chunked, lenient }: SentRequest,
    sink: ResponseSink,
  ): void {
    this.#chunked = chunked
    this.#sink = sink
    this.#requestSent = !bodyFollows
    this.#parser.begin(method, upgrade, sink, lenient)
    this.#hasBody = bodyFollows
    if (bodyFollows) this.#readBeside()
    this.#socket?.write(head, 'latin1')
  }

  #readBeside(): void {
    if (this.#readsOn || !this.#socket) return
    this.#readsOn = true
    keepReading(this.#socket, (error) => {
      this.#writeFailed ??= new OriginError('origin_aborted', error.message)
    })
  }

  writeBody(chunk: Buffer): boolean {
    const socket = this.#socket
    if (!socket || !this.#chunked) return this.write(chunk)
    socket.cork()
    socket.write(chunkStart(chunk.length), 'latin1')
    socket.write(chunk)
    const room = socket.write(CHUNK_END, 'latin1')
    socket.uncork()
    return room
  }
  endBody(rawTrailers: readonly string[]): void {
    if (this.#chunked) this.#socket?.write(lastChunk(rawTrailers), 'latin1')
    this.#requestSent = true
  }
  /** Sends a part of a tunnel. False: wait for `onDrain`. */
  write(chunk: Buffer): boolean {
    return this.#socket?.write(chunk) ?? false
  }
  cork(): void {
    this.#socket?.cork()
  }
  uncork(): void {
    this.#socket?.uncork()
  }
  protected override readOn(): void {
    this.#socket?.resume()
  }

  /** Another sink takes over, for what follows an upgrade. */
  handOver(sink: ResponseSink): void {
    this.#sink = sink
    this.#parser.handOver(sink)
  }
  giveBack(): void {
    this.#onIdle(this)
  }
  /** Closes our half of a tunnel after what was written. */
  endTunnel(): void {
    this.#socket?.end()
  }
  /** Closes at once; the sink hears nothing more. */
  destroy(): void {
    this.#sink = null
    this.#closed = true
    this.#socket?.destroy()
  }

  get #isRequestOut(): boolean {
    return this.#requestSent && this.#socket?.writableLength === 0
  }

  /** Called by the socket with what it read; false stops the reading. */
  readonly onRead = (read: Buffer): boolean => {
    const sink = this.#sink
    if (this.#hasBody && !this.#isRequestOut) this.#answeredEarly = true
    let units = 0
    try {
      units = this.#parser.execute(read)
      sink?.onReadEnd()
    } catch (error) {
      this.#fail(asOriginError(error))
      return false
    }
    if (sink !== null && this.#sink === sink && this.#parser.idle) this.#afterResponse()
    else if (units >= COUNTED_UNITS_MIN && !this.waits) {
      if (!this.#scheduler.spend(this.lane.quota.researcherId, units, this)) this.waitForTurn()
    }
    return this.mayRead
  }

  /**
   * The next request must find nothing unread: the connection reads on, and bytes that arrive while it is idle end it. TLS
   * delivers what it has decrypted although the reading was stopped, so that an answer may end while it is.
   */
  #afterResponse(): void {
    this.#sink = null
    if (!this.mayRead) this.#socket?.resume()
    this.forgetPauses()
    if (this.#parser.reusable && this.#requestSent && !this.#answeredEarly && this.usable) this.#onIdle(this)
    else this.#endAfterAnswer()
  }

  /**
   * With a reset where nothing is on its way: the side that closes first keeps the port for a minute, and a scan by HEAD would
   * use up all ports that there are for an origin, for everybody. Node resets no TLS.
   */
  #endAfterAnswer(): void {
    const socket = this.#socket
    if (socket && !this.#hasBody && !('encrypted' in socket)) socket.resetAndDestroy()
    this.destroy()
  }

  #onEnd(): void {
    const sink = this.#sink
    if (sink === null) {
      this.destroy()
      return
    }
    if (this.#writeFailed) {
      this.#fail(this.#writeFailed)
      return
    }
    if (this.#parser.tunnelling) {
      sink.onTunnelEnd()
      return
    }
    try {
      this.#parser.finish()
      sink.onReadEnd()
    } catch (error) {
      this.#fail(asOriginError(error))
      return
    }
    this.destroy()
  }

  #fail(error: OriginError): void {
    const sink = this.#sink
    this.destroy()
    sink?.onFailure(error)
  }
}

function asOriginError(error: unknown): OriginError {
  if (error instanceof OriginError) return error
  return new OriginError(
    error instanceof TruncatedError ? 'origin_aborted' : 'origin_malformed',
    String(error),
  )
}
