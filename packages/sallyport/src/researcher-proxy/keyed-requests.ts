/**
 * The requests of one connection on their way to the gate, each with the key put in and nothing else changed: method, target and
 * headers go on as they were sent, bodies with their chunks framed anew. They are read as strictly as the gate reads them, so that
 * none is taken for two.
 */
import {
  BodyReader,
  CHUNK_END,
  chunkStart,
  FramingError,
  HEAD_END,
  lastChunk,
  parseRequestHead,
  ReadAhead,
  STRAY_BYTES,
  STRICT_CHUNK_SIZE_LINE,
} from '@sallyport/http1'

/** A request head as it was sent. */
export interface SentHead {
  readonly method: string
  readonly target: string
  readonly httpVersion: string
  /** Name, value, name, value … */
  readonly rawHeaders: readonly string[]
}

export interface KeyedRequestsParts {
  readonly key: string
  readonly write: (bytes: Buffer) => void
  /** True where the connection carries one request: the gate is to close it, and whatever follows is not read. */
  readonly isSingle: boolean
}

export const HEAD_BYTES_MAX = 64 * 1024
const TRAILER_BYTES_MAX = 16 * 1024
/** Concern the hop to this proxy. */
const OF_THIS_HOP = /^(?:proxy-connection|proxy-authorization)$/i
const LENGTH = /^\d{1,15}$/

/** Reads a head, given without the empty line at its end. Throws a FramingError. */
export function readHead(text: string): SentHead {
  const { headers, ...head } = parseRequestHead(text, null, (rawHeaders, block) => ({
    rawHeaders,
    text: block,
  }))
  return { ...head, rawHeaders: headers.rawHeaders }
}

export class KeyedRequests {
  readonly #parts: KeyedRequestsParts
  readonly #ahead = new ReadAhead()
  readonly #body = new BodyReader({
    sizeLine: STRICT_CHUNK_SIZE_LINE,
    stray: STRAY_BYTES,
    trailerBytesMax: TRAILER_BYTES_MAX,
    extensionBytesMax: TRAILER_BYTES_MAX,
  })
  #isChunked = false
  #state: 'requests' | 'upgrading' | 'passing' | 'refused' | 'over' = 'requests'

  constructor(parts: KeyedRequestsParts) {
    this.#parts = parts
  }

  /** Takes what the client sent. Throws a FramingError where that is no request. */
  push(read: Buffer): void {
    if (this.#state === 'passing') this.#parts.write(read)
    else if (this.#state === 'refused') throw new FramingError('a request after a refused upgrade')
    else if (this.#state !== 'over') this.#read(read)
  }

  #read(read: Buffer): void {
    const bytes = this.#ahead.join(read)
    let at = 0
    while (at < bytes.length && this.#state === 'requests') {
      const next = this.#body.done ? this.#readHead(bytes, at) : this.#body.step(bytes, at, this)
      if (next < 0) break
      at = next
      if (this.#parts.isSingle && this.#body.done && this.#state === 'requests') this.#state = 'over'
    }
    // What is sent while an upgrade is not answered yet waits for the answer.
    if (bytes.length - at > 2 * HEAD_BYTES_MAX) throw new FramingError('too much at once', 'head')
    this.#ahead.keep(bytes, at)
  }

  /** True while the client asks for another protocol and the gate has not answered. */
  get isUpgrading(): boolean {
    return this.#state === 'upgrading'
  }

  /** The gate has answered it: from here on everything goes on as it is, or whatever is sent ends the connection. */
  settleUpgrade(isAccepted: boolean): void {
    this.#state = isAccepted ? 'passing' : 'refused'
    const { bytes } = this.#ahead
    if (isAccepted && bytes.length > 0) this.#parts.write(Buffer.from(bytes))
    this.#ahead.clear()
  }

  #readHead(bytes: Buffer, at: number): number {
    const end = bytes.indexOf(HEAD_END, at)
    if ((end < 0 ? bytes.length : end) - at > HEAD_BYTES_MAX) throw new FramingError('head too large', 'head')
    if (end < 0) return -1
    this.begin(readHead(bytes.toString('latin1', at, end)))
    return end + HEAD_END.length
  }

  /** Sends a head on, its body to follow. */
  begin(head: SentHead): void {
    const { method, target, httpVersion, rawHeaders } = head
    const { length, isChunked, isUpgrade } = framingOf(rawHeaders)
    const { key, isSingle, write } = this.#parts
    let text = `${method} ${target} HTTP/${httpVersion}\r\n`
    for (let index = 0; index < rawHeaders.length; index += 2) {
      const name = rawHeaders[index] ?? ''
      const lower = name.toLowerCase()
      if (lower === 'sallyport-key' || OF_THIS_HOP.test(name)) continue
      if (isSingle && !isUpgrade && lower === 'connection') continue
      text += `${name}: ${rawHeaders[index + 1] ?? ''}\r\n`
    }
    if (isSingle && !isUpgrade) text += 'Connection: close\r\n'
    write(Buffer.from(`${text}Sallyport-Key: ${key}\r\n\r\n`, 'latin1'))
    this.#isChunked = isChunked
    this.#body.begin(isChunked ? 'chunked' : length)
    if (isUpgrade) this.#state = 'upgrading'
    else if (isSingle && this.#body.done) this.#state = 'over'
  }

  onData(chunk: Buffer): void {
    const { write } = this.#parts
    if (this.#isChunked)
      write(
        Buffer.concat([
          Buffer.from(chunkStart(chunk.length), 'latin1'),
          chunk,
          Buffer.from(CHUNK_END, 'latin1'),
        ]),
      )
    // It lies in a buffer that is used again.
    else write(Buffer.from(chunk))
  }

  onEnd(rawTrailers: readonly string[]): void {
    if (this.#isChunked) this.#parts.write(Buffer.from(lastChunk(rawTrailers), 'latin1'))
  }
}

/** How a request ends (RFC 9112, section 6.3); throws a FramingError where that can be read in two ways. */
function framingOf(rawHeaders: readonly string[]) {
  const valuesOf = (wanted: string): string[] =>
    rawHeaders.filter((_, index) => index % 2 === 1 && rawHeaders[index - 1]?.toLowerCase() === wanted)
  const lengths = valuesOf('content-length')
  const codings = valuesOf('transfer-encoding')
  if (lengths.length + codings.length > 1) throw new FramingError('two lengths')
  if (lengths.some((length) => !LENGTH.test(length))) throw new FramingError('bad length')
  if (codings.some((coding) => coding.toLowerCase() !== 'chunked')) throw new FramingError('unknown coding')
  const connection = valuesOf('connection').join().toLowerCase()
  const upgrades = valuesOf('upgrade')
  // The gate may go by one of them: what follows would be no requests, and the key must not stand in it.
  if (upgrades.length > 1) throw new FramingError('two upgrades')
  // Any other is answered by the gate as if it had not been asked for.
  const isUpgrade = upgrades[0]?.toLowerCase() === 'websocket' && connection.includes('upgrade')
  if (isUpgrade && (codings.length > 0 || Number(lengths[0] ?? 0) > 0))
    throw new FramingError('an upgrade with a body')
  return { length: Number(lengths[0] ?? 0), isChunked: codings.length > 0, isUpgrade }
}
