/**
 * Finds the end of a body: of a given length, or in chunks (RFC 9112, section 7.1). The same for both directions, but for
 * what it lets pass beside a chunk's size: origins are taken as they are, researchers at their word.
 */
import { FramingError, HEAD_END, readFieldLines } from './field-lines.ts'

export interface BodyHandler {
  /** `chunk` is valid during the call only. */
  onData(chunk: Buffer): void
  onEnd(rawTrailers: readonly string[]): void
}

export interface BodyGrammar {
  /** A chunk's size line; the first group is the size. */
  readonly sizeLine: RegExp
  /** What must not be in trailers. */
  readonly stray: RegExp
  readonly trailerBytesMax: number
  /** Extensions of all chunks of a body together. */
  readonly extensionBytesMax: number
}

type State = 'done' | 'fixed' | 'size' | 'chunk' | 'chunk-end' | 'trailers'

const CRLF = Buffer.from('\r\n')
const SIZE_LINE_BYTES_MAX = 4_096

export class BodyReader {
  readonly #grammar: BodyGrammar
  #state: State = 'done'
  /** Bytes of the body or of the chunk that are still to come. */
  #left = 0
  #extensionBytes = 0

  constructor(grammar: BodyGrammar) {
    this.#grammar = grammar
  }

  /** Begins a body of so many bytes, or in chunks. */
  begin(length: number | 'chunked'): void {
    this.#extensionBytes = 0
    this.#left = length === 'chunked' ? 0 : length
    this.#state = length === 'chunked' ? 'size' : length === 0 ? 'done' : 'fixed'
  }

  get done(): boolean {
    return this.#state === 'done'
  }
  /** Where it stands, for messages. */
  get state(): string {
    return this.#state
  }

  /** One step from `at`; where the next begins, or -1 where more is needed to take this one. Throws a FramingError. */
  step(buffer: Buffer, at: number, handler: BodyHandler): number {
    switch (this.#state) {
      case 'fixed':
      case 'chunk':
        return this.#readData(buffer, at, handler)
      case 'size':
        return this.#readSize(buffer, at)
      case 'chunk-end':
        return this.#readChunkEnd(buffer, at)
      case 'trailers':
        return this.#readTrailers(buffer, at, handler)
      case 'done':
        throw new FramingError('bytes after the end of a body')
    }
  }

  #readData(buffer: Buffer, at: number, handler: BodyHandler): number {
    const end = Math.min(buffer.length, at + this.#left)
    this.#left -= end - at
    const whole = this.#left === 0
    const last = whole && this.#state === 'fixed'
    if (whole) this.#state = last ? 'done' : 'chunk-end'
    handler.onData(at === 0 && end === buffer.length ? buffer : buffer.subarray(at, end))
    if (last) handler.onEnd([])
    return end
  }

  #readSize(buffer: Buffer, at: number): number {
    const end = buffer.indexOf(CRLF, at)
    if ((end < 0 ? buffer.length : end) - at > SIZE_LINE_BYTES_MAX)
      throw new FramingError('chunk size line too long', 'body')
    if (end < 0) return -1
    const size = this.#grammar.sizeLine.exec(buffer.toString('latin1', at, end))?.[1]
    if (size === undefined) throw new FramingError('bad chunk size')
    this.#extensionBytes += end - at - size.length
    if (this.#extensionBytes > this.#grammar.extensionBytesMax)
      throw new FramingError('too many chunk extensions', 'body')
    this.#left = Number.parseInt(size, 16)
    this.#state = this.#left === 0 ? 'trailers' : 'chunk'
    return end + 2
  }

  #readChunkEnd(buffer: Buffer, at: number): number {
    if (buffer.length - at < 2) return -1
    if (buffer[at] !== 13 || buffer[at + 1] !== 10) throw new FramingError('chunk longer than its size')
    this.#state = 'size'
    return at + 2
  }

  #readTrailers(buffer: Buffer, at: number, handler: BodyHandler): number {
    if (buffer.length - at < 2) return -1
    if (buffer[at] === 13 && buffer[at + 1] === 10) {
      this.#state = 'done'
      handler.onEnd([])
      return at + 2
    }
    const end = buffer.indexOf(HEAD_END, at)
    if ((end < 0 ? buffer.length : end) - at > this.#grammar.trailerBytesMax)
      throw new FramingError('trailers too large', 'head')
    if (end < 0) return -1
    const text = buffer.toString('latin1', at, end)
    if (this.#grammar.stray.test(text)) throw new FramingError('stray control byte in trailers')
    this.#state = 'done'
    handler.onEnd(readFieldLines(text, 0))
    return end + 4
  }
}
