/**
 * The answer to one HTTP/1.1 request. The head waits for the first of the body, and what is small is put together in one
 * string: the write system calls are most of what a request costs.
 */
import type { Socket } from 'node:net'
import {
  type BodyHandler,
  CHUNK_END,
  chunkStart,
  httpDate,
  lastChunk,
  responseHead,
  responseHeadLines,
} from '@sallyport/http1'
import type { ReceivedRequest } from '../../exchange/exchange.ts'
import type { DownstreamTunnel, Responder, ResponderOwner, TunnelSink } from '../../exchange/responder.ts'

/** Bodies up to this size leave in one string with the head; Node writes strings of this size without a copy of its own. */
const STRING_BODY_BYTES_MAX = 16 * 1024

/** What an answer needs of the connection that it is written to. */
interface ResponderConnection {
  readonly socket: Socket
  /** Whether all of the request's body was read. */
  readonly requestEnded: boolean
  /** Whether it is to end with the next answer. */
  readonly isDraining: boolean
  identify(researcherId: string): void
  charge(ms: number): void
  /** The body is wanted (again). */
  readOn(): void
  /** All of the answer was written. */
  finishAnswer(responder: Http1Responder): void
  /** Sends the head, and speaks no HTTP from here on. */
  becomeTunnel(head: string, sink: TunnelSink): DownstreamTunnel
  destroy(): void
  /** Ends it so that the other side sees it broken off. */
  reset(): void
}

export class Http1Responder implements Responder, BodyHandler {
  readonly #connection: ResponderConnection
  readonly #request: ReceivedRequest
  readonly #keepAliveEnd: string
  owner: ResponderOwner | null = null
  answered = false
  /** Whether the connection ends with this answer. */
  closes: boolean
  #bodyHandler: BodyHandler | null = null
  #bodyPaused = false
  /** The head until the first of the body, or the end, is written with it. */
  #head = ''
  #headWritten = false
  #chunked = false
  #endsByClose = false
  #bodiless = false
  #over = false

  constructor(
    connection: ResponderConnection,
    request: ReceivedRequest,
    closes: boolean,
    keepAliveEnd: string,
  ) {
    this.#connection = connection
    this.#request = request
    this.closes = closes
    this.#keepAliveEnd = keepAliveEnd
  }

  get ownsBody(): boolean {
    return false
  }
  get requestEnded(): boolean {
    return this.#connection.requestEnded
  }
  get gone(): boolean {
    return this.#over || this.#connection.socket.destroyed
  }

  identify(researcherId: string): void {
    this.#connection.identify(researcherId)
  }
  charge(ms: number): void {
    this.#connection.charge(ms)
  }
  carries(): boolean {
    return true
  }
  writeInformation(status: number, statusText: string, rawHeaders: readonly string[]): void {
    if (this.#headWritten || this.gone || this.#request.httpVersion === '1.0') return
    this.#connection.socket.write(responseHead(status, statusText, rawHeaders), 'latin1')
  }

  writeHead(status: number, statusText: string, rawHeaders: readonly string[], close: boolean): void {
    this.#headWritten = true
    this.#bodiless = this.#request.method === 'HEAD' || status === 204 || status === 304
    const framed = this.#bodiless || hasHeader(rawHeaders, 'content-length')
    this.#chunked = !framed && this.#request.httpVersion !== '1.0'
    this.#endsByClose = !(framed || this.#chunked)
    this.closes ||= close || !this.requestEnded || this.#endsByClose || this.#connection.isDraining
    let text = responseHeadLines(status, statusText, rawHeaders)
    // The gate's own answers have one, and whoever forwards an answer without adds it (RFC 9110, section 6.6.1).
    if (!hasHeader(rawHeaders, 'date')) text += `Date: ${httpDate(Date.now())}\r\n`
    if (this.#chunked) text += 'Transfer-Encoding: chunked\r\n'
    this.#head = `${text}${this.closes ? 'Connection: close\r\n\r\n' : this.#keepAliveEnd}`
  }

  flushHead(): void {
    if (this.#head !== '') this.#writeText('')
  }

  write(chunk: Buffer): boolean {
    if (this.gone || this.#bodiless || chunk.length === 0) return true
    const before = this.#chunked ? chunkStart(chunk.length) : ''
    const after = this.#chunked ? CHUNK_END : ''
    if (chunk.length <= STRING_BODY_BYTES_MAX)
      return this.#writeText(before + chunk.toString('latin1', 0, chunk.length) + after)
    const { socket } = this.#connection
    socket.cork()
    if (this.#head !== '' || before !== '') this.#writeText(before)
    let room = socket.write(Buffer.from(chunk))
    if (after !== '') room = socket.write(after, 'latin1')
    socket.uncork()
    return room
  }

  end(last: Buffer | null, rawTrailers: readonly string[]): void {
    if (this.gone) return
    const end = this.#chunked ? lastChunk(rawTrailers) : ''
    if (last === null || this.#bodiless) {
      if (this.#head !== '' || end !== '') this.#writeText(end)
    } else if (last.length <= STRING_BODY_BYTES_MAX) {
      const text = last.toString('latin1', 0, last.length)
      this.#writeText(this.#chunked ? chunkStart(last.length) + text + CHUNK_END + end : text)
    } else {
      this.write(last)
      if (end !== '') this.#writeText(end)
    }
    this.#over = true
    this.#connection.finishAnswer(this)
  }

  #writeText(text: string): boolean {
    const whole = this.#head + text
    this.#head = ''
    return this.#connection.socket.write(whole, 'latin1')
  }

  /** Where the close is the end of an answer, half of one must end otherwise (RFC 9112, section 8). */
  destroy(): void {
    if (this.#endsByClose) this.#connection.reset()
    else this.#connection.destroy()
  }

  /** Whether what arrives of the body can be taken now. */
  get wantsBody(): boolean {
    return this.#bodyHandler !== null && !this.#bodyPaused && !this.requestEnded
  }
  readBody(handler: BodyHandler): void {
    this.#bodyHandler = handler
    this.#bodyPaused = false
    this.#connection.readOn()
  }
  pauseBody(): void {
    this.#bodyPaused = true
  }
  resumeBody(): void {
    if (!this.#bodyPaused) return
    this.#bodyPaused = false
    this.#connection.readOn()
  }
  stopBody(): void {
    this.#bodyHandler = null
  }
  onData(bytes: Buffer): void {
    this.#bodyHandler?.onData(bytes)
  }
  onEnd(rawTrailers: readonly string[]): void {
    this.#bodyHandler?.onEnd(rawTrailers)
  }

  upgrade(statusText: string, rawHeaders: readonly string[], sink: TunnelSink): DownstreamTunnel | null {
    if (this.gone || this.#headWritten) return null
    this.#over = true
    return this.#connection.becomeTunnel(responseHead(101, statusText, rawHeaders), sink)
  }

  /** Called by the connection: the system has taken the answer. */
  onAnswered(): void {
    this.answered = true
    this.onGone()
  }
  /** Called by the connection: it has closed. */
  onGone(): void {
    this.#over = true
    this.owner?.onDownstreamClosed()
  }
}

/** The end of a head that announces the keep-alive time, which some clients heed and none needs. */
export const keepAliveEnd = (keepAliveMs: number): string =>
  `Connection: keep-alive\r\nKeep-Alive: timeout=${Math.floor(keepAliveMs / 1000)}\r\n\r\n`

/** Whether there is a header, its name given in lower case. */
function hasHeader(rawHeaders: readonly string[], wanted: string): boolean {
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? ''
    if (name.length === wanted.length && name.toLowerCase() === wanted) return true
  }
  return false
}
