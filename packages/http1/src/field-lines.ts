/** Field lines of HTTP/1.1 (RFC 9112, section 5), as requests, responses and trailers have them. */
import { FramingError } from './framing-error.ts'

/** What ends a head, and trailers. */
export const HEAD_END = Buffer.from('\r\n\r\n')

const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/

/** Whether a text may be a header name or a method. */
export const isToken = (text: string): boolean => TOKEN.test(text)

/**
 * Reads the field lines from `at` to the end of `text`: name, value, name, value … Throws a FramingError where a line has
 * no colon, or anything but a token before it: a folded line, a space before the colon; and where there are more than
 * `linesMax`. The caller must have made sure that CR and LF occur in pairs only.
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

/** Blanks are space and tab only; a no-break space belongs to the value. */
function valueBetween(text: string, start: number, end: number): string {
  let from = start
  let to = end
  while (from < to && isBlank(text.charCodeAt(from))) from++
  while (to > from && isBlank(text.charCodeAt(to - 1))) to--
  return text.slice(from, to)
}
const isBlank = (code: number): boolean => code === 32 || code === 9
