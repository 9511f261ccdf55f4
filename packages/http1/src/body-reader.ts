/**
 * Reads a body to its end: of a given length, or in chunks (RFC 9112, section 7.1). It serves both directions; the grammar says
 * how strictly a chunk's size line is read.
 *
 * Ten thousand one-byte chunks fit in one read, so a hostile sender decides how many chunks a body has. Sizes are therefore read
 * byte by byte, and the data of all chunks of a read are moved together where they lie: the handler gets them in one call, and
 * they can leave in one write.
 */
import { HEAD_END, readFieldLines } from './field-lines.ts'
import { FramingError } from './framing-error.ts'

export interface BodyHandler {
  /** `chunk` is valid during the call only. */
  onData(chunk: Buffer): void
  onEnd(rawTrailers: readonly string[]): void
}

export interface BodyGrammar {
  /** What a chunk's size line must match; the first group is the size. Null: an extension after the size is not read. */
  readonly sizeLine: RegExp | null
  /** Matches what must not stand in trailers. */
  readonly stray: RegExp
  readonly trailerBytesMax: number
  /** Lines of trailers; without it their bytes alone are bounded. */
  readonly trailersMax?: number
  /** Bound on the extensions of all chunks of a body together. */
  readonly extensionBytesMax: number
}

type State = 'done' | 'fixed' | 'size' | 'chunk' | 'chunk-end' | 'trailers'

const CRLF = Buffer.from('\r\n')
const SIZE_LINE_BYTES_MAX = 4_096
const SIZE_DIGITS_MAX = 12
/** Less than this is moved byte by byte: a call of `copyWithin` costs more. */
const SHORT_MOVE_BYTES = 24

const TAB = 9
const LF = 10
const CR = 13
const SPACE = 32
const SEMICOLON = 59
/** The value of each hexadecimal digit, -1 for any other byte. */
const DIGITS = Int8Array.from({ length: 256 }, (_, byte) =>
  '0123456789abcdef'.indexOf(String.fromCharCode(byte).toLowerCase()),
)

export class BodyReader {
  readonly #grammar: BodyGrammar
  #state: State = 'done'
  /** Bytes of the body or of the chunk that are still to come. */
  #left = 0
  #extensionBytes = 0
  /** How far incomplete trailers were searched for their end. */
  #searched = 0
  #chunks = 0

  constructor(grammar: BodyGrammar) {
    this.#grammar = grammar
  }

  /** Begins a body of so many bytes, or in chunks. */
  begin(length: number | 'chunked'): void {
    this.#extensionBytes = 0
    this.#searched = 0
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
  /** Chunks of all bodies so far. */
  get chunks(): number {
    return this.#chunks
  }

  /**
   * Reads on from `at`, as far as one call of the handler reports; returns where the next step begins, or -1 where more bytes
   * are needed, which must then follow these same bytes. Bytes that were read have been overwritten: see above. Throws a
   * FramingError, one step after what precedes the error was handed over.
   */
  step(buffer: Buffer, at: number, handler: BodyHandler): number {
    switch (this.#state) {
      case 'fixed':
        return this.#readFixed(buffer, at, handler)
      case 'trailers':
        return this.#readTrailers(buffer, at, handler)
      case 'done':
        throw new FramingError('bytes after the end of a body')
      default:
        return this.#readChunks(buffer, at, handler)
    }
  }

  #readFixed(buffer: Buffer, at: number, handler: BodyHandler): number {
    const end = Math.min(buffer.length, at + this.#left)
    this.#left -= end - at
    const whole = this.#left === 0
    if (whole) this.#state = 'done'
    handler.onData(at === 0 && end === buffer.length ? buffer : buffer.subarray(at, end))
    if (whole) handler.onEnd([])
    return end
  }

  /** Moves the data of all chunks behind those of the first, and hands them over. */
  #readChunks(buffer: Buffer, at: number, handler: BodyHandler): number {
    let position = at
    let from = -1
    let to = -1
    try {
      while (position < buffer.length && this.#state !== 'trailers') {
        if (this.#state === 'chunk') {
          const end = Math.min(buffer.length, position + this.#left)
          if (from < 0) from = position
          else move(buffer, to, position, end)
          to = to < 0 ? end : to + end - position
          this.#left -= end - position
          if (this.#left === 0) this.#state = 'chunk-end'
          position = end
        } else {
          const next =
            this.#state === 'size' ? this.#readSize(buffer, position) : readChunkEnd(buffer, position)
          if (next < 0) break
          if (this.#state === 'chunk-end') this.#state = 'size'
          else this.#state = this.#left === 0 ? 'trailers' : 'chunk'
          position = next
        }
      }
    } catch (error) {
      // The data before the error are handed over first; the next step finds the error again.
      if (from < 0) throw error
    }
    if (from >= 0) handler.onData(from === 0 && to === buffer.length ? buffer : buffer.subarray(from, to))
    return position === at ? -1 : position
  }

  /** Sets how much is left; returns where the chunk begins, or -1 where its size line is incomplete. */
  #readSize(buffer: Buffer, at: number): number {
    let size = 0
    let position = at
    const digitsEnd = Math.min(buffer.length, at + SIZE_DIGITS_MAX)
    for (; position < digitsEnd; position++) {
      const digit = DIGITS[buffer[position] ?? 0] ?? -1
      if (digit < 0) break
      size = size * 16 + digit
    }
    if (buffer[position] !== CR || buffer[position + 1] !== LF || position === at)
      position = this.#passExtension(buffer, at, position)
    if (position < 0) return -1
    this.#chunks++
    this.#left = size
    return position + 2
  }

  /** Passes over what stands between the digits and the end of a size line; returns the end, or -1 where it is incomplete. */
  #passExtension(buffer: Buffer, at: number, digitsEnd: number): number {
    const { sizeLine, extensionBytesMax } = this.#grammar
    const end = sizeLine === null ? endOfLine(buffer, digitsEnd) : buffer.indexOf(CRLF, at)
    if ((end < 0 ? buffer.length : end) - at > SIZE_LINE_BYTES_MAX)
      throw new FramingError('chunk size line too long', 'body')
    if (end < 0) return -1
    const isSize =
      sizeLine === null
        ? digitsEnd > at && isExtension(buffer, digitsEnd, end)
        : sizeLine.test(buffer.toString('latin1', at, end))
    if (!isSize) throw new FramingError('bad chunk size')
    this.#extensionBytes += end - digitsEnd
    if (this.#extensionBytes > extensionBytesMax) throw new FramingError('too many chunk extensions', 'body')
    return end
  }

  #readTrailers(buffer: Buffer, at: number, handler: BodyHandler): number {
    if (buffer.length - at < 2) return -1
    if (buffer[at] === CR && buffer[at + 1] === LF) {
      this.#state = 'done'
      handler.onEnd([])
      return at + 2
    }
    const end = buffer.indexOf(HEAD_END, at + this.#searched)
    if ((end < 0 ? buffer.length : end) - at > this.#grammar.trailerBytesMax)
      throw new FramingError('trailers too large', 'head')
    if (end < 0) {
      this.#searched = Math.max(0, buffer.length - at - 3)
      return -1
    }
    const text = buffer.toString('latin1', at, end)
    if (this.#grammar.stray.test(text)) throw new FramingError('stray control byte in trailers')
    this.#state = 'done'
    handler.onEnd(readFieldLines(text, 0, this.#grammar.trailersMax))
    return end + 4
  }
}

function readChunkEnd(buffer: Buffer, at: number): number {
  if (buffer.length - at < 2) return -1
  if (buffer[at] !== CR || buffer[at + 1] !== LF) throw new FramingError('chunk longer than its size')
  return at + 2
}

/** Where the line ends, -1 where it does not. Lines are short as a rule, and a loop is quicker then than a search. */
function endOfLine(buffer: Buffer, from: number): number {
  for (let at = from; at < buffer.length - 1; at++) {
    if (buffer[at] === LF) throw new FramingError('bad chunk size')
    if (buffer[at] !== CR) continue
    if (buffer[at + 1] === LF) return at
    throw new FramingError('bad chunk size')
  }
  return -1
}

/** Nothing but blanks, or blanks and then whatever follows a semicolon. */
function isExtension(buffer: Buffer, from: number, to: number): boolean {
  let at = from
  while (at < to && (buffer[at] === SPACE || buffer[at] === TAB)) at++
  return at === to || buffer[at] === SEMICOLON
}

/** `to` is before `from`. */
function move(buffer: Buffer, to: number, from: number, end: number): void {
  if (end - from > SHORT_MOVE_BYTES) {
    buffer.copyWithin(to, from, end)
    return
  }
  for (let at = from, target = to; at < end; at++, target++) buffer[target] = buffer[at] ?? 0
}
