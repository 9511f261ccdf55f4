/**
 * Reads HTTP/1.1 responses off a connection, one for each request.
 *
 * Why not the parser that Node or undici has: an answer must leave a proxy in the same write as its head where it is
 * small, one response must not cost a dozen objects, and a proxy needs what their interfaces hide: trailers of
 * requests, `Expect` end to end, targets that are not URLs, and the knowledge whether a byte was sent
 * (docs/decisions/0021). The grammar is small, RFC 9112's. No tolerance for bare LF, folded headers, lengths that differ,
 * or a length beside chunked coding: where two readers could disagree about the end of a response, that is an error that
 * closes the connection. Where its caller says so, heads are taken as browsers take them (`lenient-head.ts`), and a connection that
 * had such a one carries no other response.
 *
 * Where the end of a response is not beyond doubt, the connection carries no other: after HEAD, 204 and 304, which have no body
 * whatever their headers say, and to which servers send one all the same, at once or late; after an attempt to speak WebSocket;
 * after heads of 1xx, which some take for the answer.
 *
 * `execute` works on a buffer that its caller reuses: handlers must copy what they keep.
 */
import { type BodyHandler, BodyReader } from './body-reader.ts'
import { HEAD_END } from './field-lines.ts'
import { FramingError, TruncatedError } from './framing-error.ts'
import {
  endOfLenientHead,
  HEAD_OF_HTTP09,
  isHttp09,
  refuseHopelessLenient,
  regularHead,
} from './lenient-head.ts'
import { ReadAhead } from './read-ahead.ts'
import {
  HEADERS_MAX,
  type ReadResponseHead,
  type ResponseFraming,
  type ResponseHead,
  readResponseHead,
  STRAY_CONTROL,
} from './response-head.ts'

export interface ResponseHandler<Derived = never> extends BodyHandler {
  /** 1xx but 101; the final head follows. */
  onInformation(head: ResponseHead<Derived>): void
  onHead(head: ResponseHead<Derived>): void
  /** 101: what follows is not HTTP. The rest of the read comes next through `onTunnelData`. */
  onUpgrade(head: ResponseHead<Derived>): void
  onTunnelData(chunk: Buffer): void
}

type State = 'idle' | 'head' | 'body' | 'until-close' | 'tunnel'

/** Longer heads are not kept. */
const KEPT_HEAD_CHARS_MAX = 8 * 1024
/** Heads of 1xx before an answer, each of which a proxy passes on in a write. A server that says every 20 s that it still
 * works on it (102) may do so for an hour and more. */
const INFORMATION_MAX = 256
/** Bytes of a tunnel that are counted as one unit of work: frames may be of two. */
const TUNNEL_BYTES_A_UNIT = 8
/** The same of any other bytes: they are only passed on. */
const BYTES_A_UNIT = 256

export class ResponseParser<Derived = never> implements BodyHandler {
  readonly #headBytesMax: number
  readonly #body: BodyReader
  #handler: ResponseHandler<Derived> | null = null
  #state: State = 'idle'
  #method = ''
  #upgrade = false
  #lenient = false
  /** Whether the connection has carried a response already. */
  #used = false
  /** The beginning of a head or a line whose end has not arrived. */
  readonly #ahead = new ReadAhead()
  #last: ReadResponseHead<Derived> | null = null
  /** Of all heads of the present response, those of 1xx too: they are free of any pace but the origin's. */
  #headBytes = 0
  #informations = 0
  /** Set where the connection cannot carry another request after this response. */
  #lastOnConnection = false
  #keepAliveMs: number | null = null

  constructor(headBytesMax: number) {
    this.#headBytesMax = headBytesMax
    this.#body = new BodyReader({
      sizeLine: null,
      stray: STRAY_CONTROL,
      trailerBytesMax: headBytesMax,
      trailersMax: HEADERS_MAX,
      extensionBytesMax: Number.POSITIVE_INFINITY,
    })
  }

  /** Begins to wait for the response to a request; `lenient` takes its head as browsers would. */
  begin(method: string, upgrade: boolean, handler: ResponseHandler<Derived>, lenient = false): void {
    this.#handler = handler
    this.#lenient = lenient
    this.#method = method
    this.#upgrade = upgrade
    this.#state = 'head'
    this.#headBytes = 0
    this.#informations = 0
    this.#lastOnConnection = upgrade
    this.#keepAliveMs = null
  }

  /** Replaces the handler of the present response. */
  handOver(handler: ResponseHandler<Derived>): void {
    this.#handler = handler
  }

  get idle(): boolean {
    return this.#state === 'idle'
  }
  get tunnelling(): boolean {
    return this.#state === 'tunnel'
  }
  get reusable(): boolean {
    return this.#state === 'idle' && !this.#lastOnConnection
  }
  /** What the server promised in `Keep-Alive: timeout=`, null where it said nothing. */
  get keepAliveMs(): number | null {
    return this.#keepAliveMs
  }

  /**
   * Reads on with these bytes, and returns what that cost, in units of work: chunks and bytes. Throws a FramingError.
   */
  execute(read: Buffer): number {
    const bytes = this.#ahead.join(read)
    const chunksBefore = this.#body.chunks
    let at = 0
    while (at < bytes.length) {
      const next = this.#step(bytes, at)
      if (next < 0) break
      at = next
      if (this.#state === 'idle' && at < bytes.length) {
        // More than was asked for: the answer stands, the connection is not used again.
        this.#lastOnConnection = true
        at = bytes.length
      }
    }
    if (at < bytes.length || this.#ahead.length > 0) this.#ahead.keep(bytes, at)
    const bytesAUnit = this.#state === 'tunnel' ? TUNNEL_BYTES_A_UNIT : BYTES_A_UNIT
    return this.#body.chunks - chunksBefore + read.length / bytesAUnit
  }

  /** The server closed its side. Throws a TruncatedError unless the response was complete or ends just so. */
  finish(): void {
    if (this.#state === 'idle' || this.#state === 'tunnel') return
    if (this.#state !== 'until-close') throw new TruncatedError(`closed in ${this.#state}`)
    this.#end([])
  }

  /** One step from `at`; where the next begins, or -1 where more is needed to take this one. */
  #step(buffer: Buffer, at: number): number {
    switch (this.#state) {
      case 'head':
        return this.#readHead(buffer, at)
      case 'body':
        return this.#body.step(buffer, at, this)
      case 'until-close':
        this.#handler?.onData(at === 0 ? buffer : buffer.subarray(at))
        return buffer.length
      case 'tunnel':
        this.#handler?.onTunnelData(at === 0 ? buffer : buffer.subarray(at))
        return buffer.length
      default:
        throw new FramingError('bytes that no request asked for')
    }
  }

  #readHead(buffer: Buffer, at: number): number {
    if (this.#lenient) return this.#readLenientHead(buffer, at)
    const end = buffer.indexOf(HEAD_END, at + this.#ahead.searched)
    const length = (end < 0 ? buffer.length : end) - at
    if (this.#headBytes + length > this.#headBytesMax) throw new FramingError('response heads too large')
    if (end < 0) {
      refuseHopeless(buffer, at, this.#ahead.searched)
      this.#ahead.searched = Math.max(0, length - 3)
      return -1
    }
    this.#ahead.searched = 0
    this.#headBytes += length
    this.#applyHead(buffer.toString('latin1', at, end))
    return end + 4
  }

  #readLenientHead(buffer: Buffer, at: number): number {
    const isFirst = !this.#used && this.#informations === 0
    // After another response it could be what that one left behind.
    if (isFirst && this.#method === 'GET' && isHttp09(buffer, at)) {
      this.#ahead.searched = 0
      this.#lastOnConnection = true
      this.#applyHead(HEAD_OF_HTTP09)
      return at
    }
    const found = endOfLenientHead(buffer, at + this.#ahead.searched)
    const length = (found?.end ?? buffer.length) - at
    if (this.#headBytes + length > this.#headBytesMax) throw new FramingError('response heads too large')
    refuseHopelessLenient(buffer.toString('latin1', at + this.#ahead.searched, at + length))
    if (!found) {
      this.#ahead.searched = Math.max(0, length - 3)
      return -1
    }
    this.#ahead.searched = 0
    this.#headBytes += length
    const text = buffer.toString('latin1', at, found.end)
    const regular = regularHead(text)
    const isRegular = regular === text && buffer.toString('latin1', found.end, found.next) === HEAD_END_TEXT
    if (!isRegular) this.#lastOnConnection = true
    this.#applyHead(regular)
    return found.next
  }

  #applyHead(text: string): void {
    const read = this.#last?.text === text ? this.#last : readResponseHead<Derived>(text)
    this.#last = text.length <= KEPT_HEAD_CHARS_MAX ? read : null
    const { head, framing } = read
    if (head.status < 200) {
      this.#applyInformation(head)
      return
    }
    if (framing.close) this.#lastOnConnection = true
    this.#keepAliveMs = framing.keepAliveMs
    this.#frame(head, framing)
  }

  #applyInformation(head: ResponseHead<Derived>): void {
    this.#lastOnConnection = true
    if (head.status !== 101) {
      if (++this.#informations > INFORMATION_MAX) throw new FramingError('too many 1xx heads')
      this.#handler?.onInformation(head)
      return
    }
    if (!this.#upgrade) throw new FramingError('101 that was not asked for')
    this.#state = 'tunnel'
    this.#handler?.onUpgrade(head)
  }

  /** Where the body ends: RFC 9112, section 6.3. */
  #frame(head: ResponseHead<Derived>, framing: ResponseFraming): void {
    const bodyless = this.#method === 'HEAD' || head.status === 204 || head.status === 304
    if (framing.length === null && !framing.chunked && !bodyless) {
      this.#state = 'until-close'
      this.#lastOnConnection = true
    } else {
      this.#state = 'body'
      if (bodyless) this.#lastOnConnection = true
      this.#body.begin(bodyless ? 0 : framing.chunked ? 'chunked' : (framing.length ?? 0))
    }
    this.#handler?.onHead(head)
    if (this.#state === 'body' && this.#body.done) this.#end([])
  }

  /** Called by the reader of bodies. */
  onData(chunk: Buffer): void {
    this.#handler?.onData(chunk)
  }
  onEnd(rawTrailers: readonly string[]): void {
    this.#end(rawTrailers)
  }

  #end(rawTrailers: readonly string[]): void {
    const handler = this.#handler
    this.#handler = null
    this.#state = 'idle'
    this.#used = true
    handler?.onEnd(rawTrailers)
  }
}

const HEAD_END_TEXT = HEAD_END.toString('latin1')
const BEGINNING = 'HTTP/1.'
/** In a head, or the beginning of one. */
const HOPELESS = /[\0]|\r(?!\n|$)|(?<!\r)\n|\n[\t ]/

/**
 * Throws at the beginning of a head that can never become one: without a status line (HTTP/0.9), with lines that end at LF, or
 * folded. Its end might never be found, and whoever waits for it would wait in vain. `searched` bytes were looked at before.
 */
function refuseHopeless(buffer: Buffer, at: number, searched: number): void {
  if (searched < BEGINNING.length) {
    const beginning = buffer.toString('latin1', at, at + BEGINNING.length)
    if (!BEGINNING.startsWith(beginning)) throw new FramingError('no status line')
  }
  const text = buffer.toString('latin1', at + searched)
  // An LF whose CR was looked at before.
  const unseen = searched > 0 && text.startsWith('\n') ? text.slice(1) : text
  if (HOPELESS.test(unseen)) throw new FramingError('stray control byte in the head')
}
