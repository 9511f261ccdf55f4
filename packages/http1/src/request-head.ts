/**
 * The head of an HTTP/1.1 request, from its bytes to its parts. Accepts what RFC 9112 lets a client send and nothing of
 * what it merely lets a server tolerate: one space between the parts of the request line, CR LF at the end of each line,
 * no folded lines, no blank before a colon, no control byte but the tab. What the parts mean, and whether the request can
 * be framed safely, is for the caller to judge.
 */
import { isToken, readFieldLines } from './field-lines.ts'
import { FramingError } from './framing-error.ts'

/** A request's head, taken apart; `Block` is what the caller makes of its field lines. */
export interface ParsedRequestHead<Block> {
  readonly method: string
  /** Byte for byte as sent, one character per byte. */
  readonly target: string
  readonly httpVersion: '1.0' | '1.1'
  readonly headers: Block
}

/** The field lines of a head, and the text that they were read from. */
export interface FieldBlock {
  readonly text: string
}

/** A head, or trailers, with one of these is refused: control bytes, a CR or LF that is not part of a CR LF. */
export const STRAY_BYTES = /[^\t\r\n\x20-\x7e\x80-\xff]|\r(?!\n)|(?<!\r)\n/

/** RFC 9112, section 7.1.1: hexadecimal digits, then extensions of tokens and quoted strings, without blanks. */
export const STRICT_CHUNK_SIZE_LINE =
  /^([0-9a-fA-F]{1,12})(?:;[!#$%&'*+.^_`|~\w-]+(?:=(?:[!#$%&'*+.^_`|~\w-]+|"(?:[\t !#-[\]-~\x80-\xff]|\\[\t -~\x80-\xff])*"))?)*$/

/**
 * Reads a head, given without the empty line that ends it, one character per byte. `before` is the header block of the
 * connection's request before, if there was one: clients repeat their headers, and a block of the same text is used again.
 * Another is made by `blockOf`, of names and values in turn, and its text. Throws a FramingError.
 */
export function parseRequestHead<Block extends FieldBlock>(
  text: string,
  before: Block | null,
  blockOf: (rawHeaders: readonly string[], text: string) => Block,
): ParsedRequestHead<Block> {
  const found = text.indexOf('\r\n')
  const lineEnd = found < 0 ? text.length : found
  const block = text.slice(lineEnd + 2)
  const known = before?.text === block ? before : null
  // A block that was read before was found to be clean.
  if (STRAY_BYTES.test(known ? text.slice(0, lineEnd) : text))
    throw new FramingError('stray control byte in the head')
  const methodEnd = text.indexOf(' ')
  const targetEnd = text.indexOf(' ', methodEnd + 1)
  if (methodEnd < 1 || targetEnd < 0 || targetEnd > lineEnd) throw new FramingError('bad request line')
  const method = text.slice(0, methodEnd)
  if (!isToken(method) || targetEnd === methodEnd + 1) throw new FramingError('bad request line')
  return {
    method,
    target: text.slice(methodEnd + 1, targetEnd),
    httpVersion: versionOf(text.slice(targetEnd + 1, lineEnd)),
    headers: known ?? blockOf(readFieldLines(block, 0), block),
  }
}

function versionOf(text: string): '1.0' | '1.1' {
  if (text === 'HTTP/1.1') return '1.1'
  if (text === 'HTTP/1.0') return '1.0'
  throw new FramingError('bad version')
}
