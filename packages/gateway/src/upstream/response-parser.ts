/**
 * Reads HTTP/1.1 responses off an origin's connection.
 *
 * Why not the parser that Node or undici has: an answer must leave the gate in the same write as its head where it is
 * small, one response must not cost a dozen objects, and the gate needs what their interfaces hide: trailers of
 * requests, `Expect` end to end, targets that are not URLs, and the knowledge whether a byte was sent (see
 * docs/decisions). The grammar is small; this accepts exactly RFC 9112's and treats everything else as an error that
 * closes the connection. No tolerance for bare LF, folded headers, two lengths, or a length beside chunked coding:
 * where two readers could disagree about the end of a response, the connection is not used further.
 *
 * `execute` works on a buffer that its caller reuses: handlers must copy what they keep.
 */
import { OriginError } from './origin-error.ts'

export interface ResponseHead {
  readonly status: number
  readonly statusText: string
  /** Name, value, name, value … as sent. */
  readonly rawHeaders: readonly string[]
}

export interface ResponseHandler {
  /** 1xx but 101; the final head follows. */
  onInformation(head: ResponseHead): void
  onHead(head: ResponseHead): void
  /** `chunk` is valid during the call only. */
  onData(chunk: Buffer): void
  onEnd(rawTrailers: readonly string[]): void
  /** 101: what follows is not HTTP. The rest of the read comes next through `onTunnelData`. */
  onUpgrade(head: ResponseHead): void
  onTunnelData(chunk: Buffer): void
}

type State =
  | 'idle'
  | 'head'
  | 'fixed'
  | 'until-close'
  | 'size'
  | 'chunk'
  | 'chunk-end'
  | 'trailers'
  | 'tunnel'

const STATUS_LINE = /^HTTP\/1\.([01]) ([1-9]\d\d)(?: ([\t\x20-\x7e\x80-\xff]*))?$/
const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/
const LENGTH = /^\d{1,15}$/
/** A head with one of these is not HTTP. */
const STRAY_CONTROL = /[\0]|\r(?!\n)|(?<!\r)\n/
const CHUNK_SIZE = /^([0-9a-fA-F]{1,12})[\t ]*(?:;.*)?$/
const CHUNK_LINE_BYTES_MAX = 4_096
const NAMES_MAX = 4_096
const CRLF = Buffer.from('\r\n')
const HEAD_END = Buffer.from('\r\n\r\n')

/** Names that were found to be tokens, because the same few dozen come with every response. */
const tokens = new Set<string>()
function isToken(name: string): boolean {
  if (tokens.has(name)) return true
  if (!TOKEN.test(name)) return false
  if (tokens.size < NAMES_MAX) tokens.add(name)
  return true
}

export class ResponseParser {
  readonly #headBytesMax: number
  #handler: ResponseHandler | null = null
  #state: State = 'idle'
  #method = ''
  #upgrade = false
  /** Bytes of the body or of the chunk that are still to come. */
  #left = 0
  /** The beginning of a head or a line whose end has not arrived. */
  #pending: Buffer | null = null
  /** Set where the connection cannot carry another request after this response. */
  #lastOnConnection = false
  #keepAliveMs: number | null = null

  constructor(headBytesMax: number) {
    this.#headBytesMax = headBytesMax
  }

  /** Begins to wait for the response to a request. */
  begin(method: string, upgrade: boolean, handler: ResponseHandler): void {
    this.#handler = handler
    this.#method = method
    this.#upgrade = upgrade
    this.#state = 'head'
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

  /** Takes what was read. Throws an OriginError where it is not HTTP. */
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
      case 'fixed':
      case 'chunk':
        return this.#readBody(buffer, at)
      case 'until-close':
        this.#handler?.onData(at === 0 ? buffer : buffer.subarray(at))
        return buffer.length
      case 'size':
        return this.#readSize(buffer, at)
      case 'chunk-end':
        return this.#readChunkEnd(buffer, at)
      case 'trailers':
        return this.#readTrailers(buffer, at)
      case 'tunnel':
        this.#handler?.onTunnelData(at === 0 ? buffer : buffer.subarray(at))
        return buffer.length
      default:
        throw new OriginError('origin_malformed', 'bytes that no request asked for')
    }
  }

  #readHead(buffer: Buffer, at: number): number {
    const end = buffer.indexOf(HEAD_END, at)
    if ((end < 0 ? buffer.length : end) - at > this.#headBytesMax)
      throw new OriginError('origin_malformed', 'response head too large')
    if (end < 0) return -1
    this.#takeHead(buffer.toString('latin1', at, end))
    return end + 4
  }

  #takeHead(text: string): void {
    if (STRAY_CONTROL.test(text)) throw new OriginError('origin_malformed', 'stray control byte in the head')
    const lineEnd = text.indexOf('\r\n')
    const line = STATUS_LINE.exec(lineEnd < 0 ? text : text.slice(0, lineEnd))
    if (!line) throw new OriginError('origin_malformed', 'no status line')
    const rawHeaders: string[] = []
    const framing = readFields(text, lineEnd < 0 ? text.length : lineEnd + 2, rawHeaders)
    const head = { status: Number(line[2]), statusText: line[3] ?? '', rawHeaders }
    if (head.status < 200) {
      this.#takeInformation(head)
      return
    }
    const minor = line[1] === '1'
    this.#lastOnConnection = framing.close || (!minor && !framing.keepAlive)
    this.#keepAliveMs = framing.keepAliveMs
    this.#frame(head, framing, minor)
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
  #frame(head: ResponseHead, framing: Framing, minor: boolean): void {
    if (framing.chunked && (framing.length !== null || !minor))
      throw new OriginError('origin_malformed', 'chunked coding beside a length or in HTTP/1.0')
    const bodyless = this.#method === 'HEAD' || head.status === 204 || head.status === 304
    if (bodyless) this.#left = 0
    else if (framing.chunked) this.#state = 'size'
    else if (framing.length === null) {
      this.#state = 'until-close'
      this.#lastOnConnection = true
    } else {
      this.#state = 'fixed'
      this.#left = framing.length
    }
    this.#handler?.onHead(head)
    if (bodyless || (this.#state === 'fixed' && this.#left === 0)) this.#end([])
  }

  #readBody(buffer: Buffer, at: number): number {
    const end = Math.min(buffer.length, at + this.#left)
    this.#left -= end - at
    this.#handler?.onData(at === 0 && end === buffer.length ? buffer : buffer.subarray(at, end))
    if (this.#left > 0) return end
    if (this.#state === 'chunk') this.#state = 'chunk-end'
    else this.#end([])
    return end
  }

  #readSize(buffer: Buffer, at: number): number {
    const end = buffer.indexOf(CRLF, at)
    if ((end < 0 ? buffer.length : end) - at > CHUNK_LINE_BYTES_MAX)
      throw new OriginError('origin_malformed', 'chunk size line too long')
    if (end < 0) return -1
    const size = CHUNK_SIZE.exec(buffer.toString('latin1', at, end))
    if (!size) throw new OriginError('origin_malformed', 'bad chunk size')
    this.#left = Number.parseInt(size[1] ?? '', 16)
    this.#state = this.#left === 0 ? 'trailers' : 'chunk'
    return end + 2
  }

  #readChunkEnd(buffer: Buffer, at: number): number {
    if (buffer.length - at < 2) return -1
    if (buffer[at] !== 13 || buffer[at + 1] !== 10)
      throw new OriginError('origin_malformed', 'chunk longer than its size')
    this.#state = 'size'
    return at + 2
  }

  #readTrailers(buffer: Buffer, at: number): number {
    if (buffer.length - at < 2) return -1
    if (buffer[at] === 13 && buffer[at + 1] === 10) {
      this.#end([])
      return at + 2
    }
    const end = buffer.indexOf(HEAD_END, at)
    if ((end < 0 ? buffer.length : end) - at > this.#headBytesMax)
      throw new OriginError('origin_malformed', 'trailers too large')
    if (end < 0) return -1
    const text = buffer.toString('latin1', at, end)
    if (STRAY_CONTROL.test(text)) throw new OriginError('origin_malformed', 'stray control byte in trailers')
    const rawTrailers: string[] = []
    readFields(text, 0, rawTrailers)
    this.#end(rawTrailers)
    return end + 4
  }

  #end(rawTrailers: readonly string[]): void {
    const handler = this.#handler
    this.#handler = null
    this.#state = 'idle'
    handler?.onEnd(rawTrailers)
  }
}

interface Framing {
  length: number | null
  chunked: boolean
  close: boolean
  keepAlive: boolean
  keepAliveMs: number | null
}

/** Reads field lines from `at` to the end of `text` into `into`, and what they say about framing. */
function readFields(text: string, at: number, into: string[]): Framing {
  const framing: Framing = { length: null, chunked: false, close: false, keepAlive: false, keepAliveMs: null }
  let from = at
  while (from < text.length) {
    const found = text.indexOf('\r\n', from)
    const end = found < 0 ? text.length : found
    const colon = text.indexOf(':', from)
    if (colon < 0 || colon > end) throw new OriginError('origin_malformed', 'header line without a colon')
    const name = text.slice(from, colon)
    if (!isToken(name)) throw new OriginError('origin_malformed', 'bad header name')
    const value = trimBlanks(text.slice(colon + 1, end))
    into.push(name, value)
    noteFraming(framing, name, value)
    from = end + 2
  }
  return framing
}

/** Blanks are space and tab only; a no-break space belongs to the value. */
function trimBlanks(value: string): string {
  let from = 0
  let to = value.length
  while (from < to && isBlank(value.charCodeAt(from))) from++
  while (to > from && isBlank(value.charCodeAt(to - 1))) to--
  return value.slice(from, to)
}
const isBlank = (code: number): boolean => code === 32 || code === 9

/** Lengths of the names that matter for framing, so that most names are passed over by a number. */
function noteFraming(framing: Framing, name: string, value: string): void {
  const { length } = name
  if (length !== 10 && length !== 14 && length !== 17) return
  const lower = name.toLowerCase()
  if (lower === 'content-length') {
    if (!LENGTH.test(value) || (framing.length !== null && framing.length !== Number(value)))
      throw new OriginError('origin_malformed', 'bad length')
    framing.length = Number(value)
  } else if (lower === 'transfer-encoding') {
    if (framing.chunked || value.toLowerCase() !== 'chunked')
      throw new OriginError('origin_malformed', 'unknown transfer coding')
    framing.chunked = true
  } else if (lower === 'connection') {
    const options = value.toLowerCase()
    if (options.includes('close')) framing.close = true
    if (options.includes('keep-alive')) framing.keepAlive = true
  } else if (lower === 'keep-alive') {
    const seconds = /timeout\s*=\s*(\d{1,6})/i.exec(value)?.[1]
    if (seconds !== undefined) framing.keepAliveMs = Number(seconds) * 1000
  }
}
