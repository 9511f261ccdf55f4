/**
 * Heads of responses as browsers take them, for servers that are not to be mended: lines that end at LF, folded lines, and none at all
 * (HTTP/0.9, where everything until the end of the connection is the body). Each is made a regular head before anything reads it, so
 * that there is one reader. What is wrong in any other way stays wrong.
 */
import { FramingError } from './framing-error.ts'

const LF = 10
const CR = 13
const VERSION_START = 'HTTP/'
const HOPELESS = /[\0]|\r(?!\n|$)/

/** What HTTP/0.9 has in place of a head: browsers show such a body as text. */
export const HEAD_OF_HTTP09 = 'HTTP/1.0 200 OK\r\nContent-Type: text/plain'

/** Whether bytes begin no head of HTTP/1, as far as they go. */
export function isHttp09(buffer: Buffer, at: number): boolean {
  const beginning = buffer.toString('latin1', at, at + VERSION_START.length)
  return !VERSION_START.startsWith(beginning.toUpperCase())
}

/** Where a head ends, and where what follows it begins; null where it does not end in these bytes. */
export function endOfLenientHead(buffer: Buffer, from: number): { end: number; next: number } | null {
  for (let at = buffer.indexOf(LF, from); at >= 0; at = buffer.indexOf(LF, at + 1)) {
    if (buffer[at + 1] === LF) return { end: endOfLine(buffer, at), next: at + 2 }
    if (buffer[at + 1] === CR && buffer[at + 2] === LF) return { end: endOfLine(buffer, at), next: at + 3 }
  }
  return null
}

const endOfLine = (buffer: Buffer, lineFeed: number): number =>
  buffer[lineFeed - 1] === CR ? lineFeed - 1 : lineFeed

/** Throws at the beginning of a head that can never become one. */
export function refuseHopelessLenient(text: string): void {
  if (HOPELESS.test(text)) throw new FramingError('stray control byte in the head')
}

/** The same head with lines that end at CR LF and are not folded (RFC 9112, section 5.2), but for a fold where nothing is to be continued. */
export const regularHead = (text: string): string => {
  const lines = text.replace(/\r?\n/g, '\r\n')
  const first = lines.indexOf('\r\n')
  return first < 0 ? lines : lines.slice(0, first) + unfolded(lines.slice(first))
}

const unfolded = (fields: string): string =>
  fields[2] === ' ' || fields[2] === '\t' ? fields : fields.replace(/\r\n[\t ]+/g, ' ')
