/** One request to an origin in a stream of HTTP/2. */
import { type ClientHttp2Stream, constants } from 'node:http2'
import type { OriginExchange, ResponseSink, SentRequest } from '../origin-connection.ts'
import { OriginError } from '../origin-error.ts'
import { ScheduledReader } from '../read-scheduler.ts'
import type { OriginSession } from './origin-session.ts'
import { fieldsOf, fromHttp2Response, toHttp2Request } from './translate-heads.ts'

/** Heads of 1xx before an answer; as over HTTP/1.1. */
const INFORMATION_MAX = 256
/** What a frame of data costs to read, in the units of `ReadScheduler`, and how many bytes cost one. */
const FRAME_UNITS = 32
const BYTES_A_UNIT = 256
/** Less is not worth counting. */
const COUNTED_UNITS_MIN = 256

/** Codes by which an origin, or Node for it, says that what was sent is no HTTP/2. */
const MALFORMED_CODES = new Set<number>([
  constants.NGHTTP2_PROTOCOL_ERROR,
  constants.NGHTTP2_FLOW_CONTROL_ERROR,
  constants.NGHTTP2_FRAME_SIZE_ERROR,
  constants.NGHTTP2_COMPRESSION_ERROR,
  constants.NGHTTP2_ENHANCE_YOUR_CALM,
])

export class OriginStream extends ScheduledReader implements OriginExchange {
  readonly #session: OriginSession
  #stream: ClientHttp2Stream | null = null
  #sink: ResponseSink | null = null
  #isFree = false
  #informations = 0
  #hasHead = false
  #rawTrailers: readonly string[] = []
  /** Trailers of the request. */
  #ownTrailers: readonly string[] = []
  #requestSent = false
  /** True once the end of the answer has come; a stream that was reset ends, too. */
  #isWhole = false
  #units = 0
  #readEndDue = false

  /** @param session that has counted it; it is told once when the stream is over. */
  constructor(session: OriginSession) {
    super()
    this.#session = session
  }

  start(head: string, { bodyFollows, chunked }: SentRequest, sink: ResponseSink): void {
    this.#sink = sink
    this.#requestSent = !bodyFollows
    try {
      const headers = toHttp2Request(head, this.#session.scheme)
      const options = { endStream: !bodyFollows, waitForTrailers: bodyFollows && chunked }
      this.#attach(this.#session.request(headers, options))
    } catch (error) {
      // The session has ended since it was chosen, or has no streams left.
      setImmediate(() => {
        this.#fail(new OriginError('origin_aborted', String(error)))
        this.#free()
      })
    }
  }

  #attach(stream: ClientHttp2Stream): void {
    this.#stream = stream
    noteEnd(stream, (isWhole) => {
      this.#isWhole = isWhole
    })
    stream.on('headers', (_headers, _flags, raw: string[] = []) => this.#onInformation(raw))
    stream.on('response', (_headers, _flags, raw: string[] = []) => this.#onHead(raw))
    stream.on('trailers', (_headers, _flags, raw: string[] = []) => {
      this.#rawTrailers = raw
    })
    stream.on('data', (chunk: Buffer) => this.#onData(chunk))
    stream.on('end', () => this.#onEnd())
    stream.on('drain', () => this.#sink?.onDrain())
    stream.on('wantTrailers', () => stream.sendTrailers(toObject(this.#ownTrailers)))
    stream.on('error', (error) => this.#session.noteError(error))
    stream.on('close', () => {
      this.#fail(whyClosed(stream.rstCode))
      this.#free()
    })
  }

  writeBody(chunk: Buffer): boolean {
    return this.#stream?.write(chunk) ?? false
  }
  endBody(rawTrailers: readonly string[]): void {
    this.#requestSent = true
    this.#ownTrailers = rawTrailers
    this.#stream?.end()
  }
  // Node puts together by itself what is written in a turn.
  cork(): void {}
  uncork(): void {}

  override pause(): void {
    super.pause()
    this.#stream?.pause()
  }
  protected override readOn(): void {
    this.#stream?.resume()
  }

  giveBack(): void {
    this.destroy()
  }
  /** Ends it at once; the sink hears nothing more. */
  destroy(): void {
    this.#sink = null
    this.#hold(false)
    const stream = this.#stream
    this.#free()
    if (!stream || stream.destroyed) return
    if (!this.#hasHead) this.#session.suspect()
    if (!stream.closed) stream.close(constants.NGHTTP2_CANCEL)
    stream.destroy()
  }

  #free(): void {
    if (this.#isFree) return
    this.#isFree = true
    this.#session.release()
  }

  #onInformation(raw: readonly string[]): void {
    this.#session.noteHeard()
    const head = fromHttp2Response(raw)
    this.#informations += 1
    if (head === null || head.status === 101 || this.#informations > INFORMATION_MAX) this.#malformed('1xx')
    else this.#sink?.onInformation(head)
  }

  #onHead(raw: readonly string[]): void {
    this.#session.noteHeard()
    const head = fromHttp2Response(raw)
    if (head === null || head.status < 200) {
      this.#malformed('head')
      return
    }
    this.#hasHead = true
    this.#sink?.onHead(head)
    this.#hold(true)
  }

  #onData(chunk: Buffer): void {
    this.#session.noteHeard()
    if (chunk.length > 0) this.#sink?.onData(chunk)
    this.#hold(true)
    this.#units += FRAME_UNITS + chunk.length / BYTES_A_UNIT
    if (this.#units < COUNTED_UNITS_MIN || this.waits) return
    const isLet = this.#session.spend(this.#units, this)
    this.#units = 0
    if (isLet) return
    this.waitForTurn()
    this.#stream?.pause()
  }

  /** What comes in one turn of the event loop goes out together at its end. */
  #hold(isDue: boolean): void {
    if (isDue && !this.#readEndDue)
      setImmediate(() => {
        if (this.#readEndDue) this.#sink?.onReadEnd()
        this.#readEndDue = false
      })
    this.#readEndDue = isDue
  }

  #onEnd(): void {
    const sink = this.#sink
    const trailers = fieldsOf(this.#rawTrailers)
    // Of a stream that was reset, the close says why.
    if (!this.#isWhole || !this.#hasHead || sink === null) return
    if (trailers === null) {
      this.#malformed('trailers')
      return
    }
    this.#sink = null
    this.#hold(false)
    sink.onEnd(trailers)
    // The rest of the request is not wanted (RFC 9113, section 8.1).
    if (!this.#requestSent) this.#stream?.close(constants.NGHTTP2_NO_ERROR)
  }

  #malformed(what: string): void {
    const sink = this.#sink
    this.destroy()
    sink?.onFailure(new OriginError('origin_malformed', `HTTP/2: ${what}`))
  }
  #fail(error: OriginError): void {
    const sink = this.#sink
    this.#sink = null
    this.#hold(false)
    sink?.onFailure(this.#session.failure ?? error)
  }
}

/**
 * Says once, when the reading of a stream comes to its end, whether it ended as its sender says it. Node ends what was reset in the
 * same way, and with a code of `NO_ERROR` nothing else would tell half an answer from a whole one: but only then is it closed before.
 */
function noteEnd(stream: ClientHttp2Stream, onEnd: (isWhole: boolean) => void): void {
  const { push } = stream
  let isOver = false
  stream.push = (chunk: unknown, encoding?: BufferEncoding): boolean => {
    if (chunk === null && !isOver) {
      isOver = true
      onEnd(!stream.closed)
    }
    return push.call(stream, chunk, encoding)
  }
}

const whyClosed = (code = 0): OriginError =>
  MALFORMED_CODES.has(code)
    ? new OriginError('origin_malformed', `HTTP/2: closed with ${code}`)
    : // The origin says that it has not begun with it (RFC 9113, section 8.7).
      new OriginError(
        'origin_aborted',
        `HTTP/2: closed with ${code}`,
        code === constants.NGHTTP2_REFUSED_STREAM,
      )

function toObject(rawTrailers: readonly string[]): Record<string, string[]> {
  const object: Record<string, string[]> = Object.create(null)
  for (let index = 0; index < rawTrailers.length; index += 2) {
    const name = (rawTrailers[index] ?? '').toLowerCase()
    object[name] = [...(object[name] ?? []), rawTrailers[index + 1] ?? '']
  }
  return object
}
