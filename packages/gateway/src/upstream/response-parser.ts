/**
 * Reads HTTP/1.1 responses off an origin's connection.
 *
 * Why not the parser that Node or undici has: an answer must leave the gate in the same write as its head where it is
 * small, one response must not cost a dozen objects, and the gate needs what their interfaces hide: trailers of
 * requests, `Expect` end to end, targets that are not URLs, and the knowledge whether a byte was sent
 * (docs/decisions/0021). The grammar is small, RFC 9112's. No tolerance for bare LF, folded headers, lengths that differ,
 * or a length beside chunked coding: where two readers could disagree about the end of a response, that is an error that
 * closes the connection.
 *
 * `execute` works on a buffer that its caller reuses: handlers must copy what they keep.
 */
import { type BodyHandler, BodyReader } from '../body-reader.ts'
import { HEAD_END } from '../field-lines.ts'
import { OriginError } from './origin-error.ts'
import {
  type ReadResponseHead,
  type ResponseFraming,
  type ResponseHead,
  readResponseHead,
  STRAY_CONTROL,
} from './response-head.ts'

export interface ResponseHandler extends BodyHandler {
  /** 1xx but 101; the final head follows. */
  onInformation(head: ResponseHead): void
  onHead(head: ResponseHead): void
  /** 101: what follows is not HTTP. The rest of the read comes next through `onTunnelData`. */
  onUpgrade(head: ResponseHead): void
  onTunnelData(chunk: Buffer): void
}

type State = 'idle' | 'head' | 'body' | 'until-close' | 'tunnel'

/** Longer heads are not kept. */
const KEPT_HEAD_CHARS_MAX = 8 * 1024
/** The first group is the size; extensions are passed over. */
const SIZE_LINE = /^([0-9a-fA-F]{1,12})[\t ]*(?:;.*)?$/

export class ResponseParser implements BodyHandler {
  readonly #headBytesMax: number
  readonly #body: BodyReader
  #handler: ResponseHandler | null = null
  #state: State = 'idle'
  #method = ''
  #upgrade = false
  /** The beginning of a head or a line whose end has not arrived. */
  #pending: Buffer | null = null
  #last: ReadResponseHead | null = null
  /** Of all heads of the present response, those of 1xx too: they are free of any pace but the origin's. */
  #headBytes = 0
  /** Set where the connection cannot carry another request after this response. */
  #lastOnConnection = false
  #keepAliveMs: number | null = null

  constructor(headBytesMax: number) {
    this.#headBytesMax = headBytesMax
    this.#body = new BodyReader({
      sizeLine: SIZE_LINE,
      stray: STRAY_CONTROL,
      trailerBytesMax: headBytesMax,
      extensionBytesMax: Number.POSITIVE_INFINITY,
    })
  }

  /** Begins to wait for the response to a request. */
  begin(method: string, upgrade: boolean, handler: ResponseHandler): void {
    this.#handler = handler
    this.#method = method
    this.#upgrade = upgrade
    this.#state = 'head'
    this.#headBytes = 0
    this.#lastOnConnection = false
    this.#keepAliveMs = null
  }

  /** Another handler takes over from the present one. */
  handOver(handler: ResponseHandler): void {
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
  /** What the origin promised in `Keep-Alive: timeout=`, null where it said nothing. */
  get keepAliveMs(): number | null {
    return this.#keepAliveMs
  }

  /** Takes what was read. Throws an OriginError or a FramingError where it is not HTTP. */
  execute(read: Buffer): void {
    let buffer = read
    if (this.#pending) {
      buffer = Buffer.concat([this.#pending, read])
      this.#pending = null
    }
    let at = 0
    while (at < buffer.length) {
      const next = this.#step(buffer, at)
      if (next < 0) {
        this.#pending = Buffer.from(buffer.subarray(at))
        return
      }
      at = next
      if (this.#state === 'idle' && at < buffer.length) {
        // More than was asked for: the answer stands, the connection is not used again.
        this.#lastOnConnection = true
        return
      }
    }
  }

  /** The origin closed its side. Throws unless the response was complete or ends just so. */
  finish(): void {
    if (this.#state === 'idle' || this.#state === 'tunnel') return
    if (this.#state !== 'until-close') throw new OriginError('origin_aborted', `closed in ${this.#state}`)
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
        throw new OriginError('origin_malformed', 'bytes that no request asked for')
    }
  }

  #readHead(buffer: Buffer, at: number): number {
    const end = buffer.indexOf(HEAD_END, at)
    const length = (end < 0 ? buffer.length : end) - at
    if (this.#headBytes + length > this.#headBytesMax)
      throw new OriginError('origin_malformed', 'response heads too large')
    if (end < 0) return -1
    this.#headBytes += length
    this.#takeHead(buffer.toString('latin1', at, end))
    return end + 4
  }

  #takeHead(text: string): void {
    const read = this.#last?.text === text ? this.#last : readResponseHead(text)
    this.#last = text.length <= KEPT_HEAD_CHARS_MAX ? read : null
    const { head, framing } = read
    if (head.status < 200) {
      this.#takeInformation(head)
      return
    }
    this.#lastOnConnection = framing.close
    this.#keepAliveMs = framing.keepAliveMs
    this.#frame(head, framing)
  }

  #takeInformation(head: ResponseHead): void {
    if (head.status !== 101) {
      this.#handler?.onInformation(head)
      return
    }
    if (!this.#upgrade) throw new OriginError('origin_malformed', '101 that was not asked for')
    this.#state = 'tunnel'
    this.#lastOnConnection = true
    this.#handler?.onUpgrade(head)
  }

  /** Where the body ends: RFC 9112, section 6.3. */
  #frame(head: ResponseHead, framing: ResponseFraming): void {
    const bodyless = this.#method === 'HEAD' || head.status === 204 || head.status === 304
    if (framing.length === null && !framing.chunked && !bodyless) {
      this.#state = 'until-close'
      this.#lastOnConnection = true
    } else {
      this.#state = 'body'
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
    handler?.onEnd(rawTrailers)
  }
}
