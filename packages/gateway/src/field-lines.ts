/** Field lines of HTTP/1.1 (RFC 9112, section 5), as requests, responses and trailers have them. */
import { TextCache } from '@sallyport/toolbox'

/** Bytes that are not HTTP, or that two readers could take for different things. */
export class FramingError extends Error {
  /** What is too large, where nothing is wrong but the size. */
  readonly tooLarge: 'head' | 'body' | null

  constructor(message: string, tooLarge: 'head' | 'body' | null = null) {
    super(message)
    this.name = 'FramingError'
    this.tooLarge = tooLarge
  }
}

/** What ends a head, and trailers. */
export const HEAD_END = Buffer.from('\r\n\r\n')

const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/

/** Names that were found to be tokens: the same few dozen come with every message. */
const tokens = new TextCache<true>()

/** Whether a text may be a header name or a method. */
export function isToken(text: string): boolean {
  return tokens.get(text) ?? (TOKEN.test(text) && tokens.set(text, true))
}

/**
 * Reads the field lines from `at` to the end of `text`: name, value, name, value … Throws a FramingError where a line has
 * no colon, or anything but a token before it: a folded line, a space before the colon; and where there are more than
 * `linesMax`. The caller has made sure that there is no CR or LF but in pairs.
 */
export function readFieldLines(text: string, at: number, linesMax = Number.POSITIVE_INFINITY): string[] {
  const fields: string[] = []
  let from = at
  while (from < text.length) {
    if (fields.length === 2 * linesMax) throw new FramingError('too many header lines', 'head')
    const found = text.indexOf('\r\n', from)
    const end = found < 0 ? text.length : found
    const colon = text.indexOf(':', from)
    if (colon < 0 || colon > end) throw new FramingError('header line without a colon')
    const name = text.slice(from, colon)
    if (!isToken(name)) throw new FramingError('bad header name')
    fields.push(name, valueBetween(text, colon + 1, end))
    from = end + 2
  }
  return fields
}

/** Field lines as text, each with the CR LF that ends it. */
export function fieldLines(rawHeaders: readonly string[]): string {
  let text = ''
  for (let index = 0; index < rawHeaders.length; index += 2)
    text += `${rawHeaders[index]}: ${rawHeaders[index + 1]}\r\n`
  return text
}

/** Blanks are space and tab only; a no-break space belongs to the value. */
function valueBetween(text: string, start: number, end: number): string {
  let from = start
  let to = end
  while (from < to && isBlank(text.charCodeAt(from))) from++
  while (to > from && isBlank(text.charCodeAt(to - 1))) to--
  return text.slice(from, to)
}
const isBlank = (code: number): boolean => code === 32 || code === 9
