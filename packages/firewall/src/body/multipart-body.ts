/**
 * Reads the parts of a multipart body (RFC 7578). A scanner over all bytes that are there: parts that were cut, headers
 * that are odd, boundaries that repeat and what follows the end are read, where a strict parser would leave them unseen.
 */
import { charsetReader, decodeBytes, decodeText } from '../decoding/charset.ts'
import { percentDecode } from '../decoding/percent-decoding.ts'
import type { Steps } from '../slices.ts'
import type { BodySink } from './body-sink.ts'
import { parameter, parameters } from './content-type.ts'
import { decodeTransfer } from './transfer-encoding.ts'

const PART_HEAD_BYTES_MAX = 8 * 1024
const PARTS_MAX = 1_000
const LF = 0x0a
const CR = 0x0d
const HYPHEN = 0x2d

/**
 * Shows fields and files to `sink`. False where the body does not have the shape that its boundary promises, so that
 * origins may differ in where parts begin and end.
 */
export function* readMultipart(
  bytes: Buffer,
  boundary: string,
  sink: BodySink,
  charset = '',
): Steps<boolean> {
  if (boundary === '') return false
  const form = { charset }
  const line = Buffer.from(`\n--${boundary}`, 'latin1')
  const delimiter = line.subarray(1)
  // A delimiter begins a line; anywhere else it is content.
  const startsWithOne = bytes.subarray(0, delimiter.length).equals(delimiter)
  let start = startsWithOne ? 0 : nextDelimiter(bytes, line, 0)
  if (start < 0) return false
  let understood = readPart(bytes.subarray(0, start), sink, form).isBlank
  let closed = false
  for (let parts = 0; parts < PARTS_MAX; parts++) {
    const from = start + delimiter.length
    const next = nextDelimiter(bytes, line, from)
    const closes = bytes[from] === HYPHEN && bytes[from + 1] === HYPHEN
    const end = next < 0 ? bytes.length : next
    const part = readPart(bytes.subarray(closes ? from + 2 : from, end), sink, form)
    if (closed || (closes ? !part.isBlank : !part.understood)) understood = false
    if (next >= 0 && endsInCrlf(bytes, next) !== endsInCrlf(bytes, from + lineLength(bytes, from)))
      understood = false
    closed ||= closes
    yield
    if (next < 0) return understood && closed
    start = next
  }
  return false
}

function nextDelimiter(bytes: Buffer, line: Buffer, from: number): number {
  const found = bytes.indexOf(line, from)
  return found < 0 ? -1 : found + 1
}

/** Whether what stands before `end` is a CR and a LF. Parsers that read one kind of line ends only see other parts. */
const endsInCrlf = (bytes: Buffer, end: number): boolean => bytes[end - 2] === CR && bytes[end - 1] === LF

const lineLength = (bytes: Buffer, from: number): number => bytes.indexOf(LF, from) + 1 - from

interface PartRead {
  readonly isBlank: boolean
  readonly understood: boolean
}

/** What holds for all parts that name no charset of their own; a field may set it (RFC 7578, 4.6). */
interface MultipartForm {
  charset: string
}

/** @param part what follows a delimiter, beginning with the end of its line */
function readPart(part: Buffer, sink: BodySink, form: MultipartForm): PartRead {
  const { head, content } = splitPart(part)
  const header = (name: string): string =>
    Array.from(head.matchAll(new RegExp(`^${name}[ \\t]*:([^\\n]*)`, 'gim')), ([, value]) => value).join(';')
  const disposition = header('content-disposition')
  const names = new Set([
    ...parameters(disposition, 'name').map(percentDecode),
    ...extended(disposition, 'name'),
  ])
  // Where readers differ in the name, an exclusion for one of the names covers nothing.
  const field = names.size === 1 ? ([...names][0] ?? '') : ''
  for (const name of names) if (name !== '') sink.name(field, name)
  const odd = head.split('\n').filter((line) => !/^\s*$|^content-[a-z-]+\s*:/i.test(line))
  if (odd.length > 0) sink.value(field, odd.join('\n'))
  for (const text of unusualTexts(head)) sink.otherText(field, text)
  const charset = parameter(header('content-type'), 'charset') || form.charset
  const transfer = decodeTransfer(content, header('content-transfer-encoding').trim().toLowerCase())
  const isFile = readFileNames(disposition, field, sink)
  if (field === '_charset_') form.charset = content.toString('latin1', 0, CHARSET_CHARS_MAX).trim()
  let exact = names.size <= 1
  for (const bytes of transfer.decoded === undefined ? [content] : [content, transfer.decoded]) {
    const text = decodeText(bytes, charset)
    exact &&= text.exact
    if (isFile) sink.fileContent(field, bytes)
    else for (const each of [text.text, text.withoutZeros]) if (each) sink.value(field, each)
    if (!isFile && charsetReader(charset.toLowerCase())) sink.value(field, decodeBytes(bytes))
  }
  const isBlank = odd.length === 0 && names.size === 0 && /^\s*$/.test(content.toString('latin1'))
  return {
    isBlank,
    understood: exact && transfer.known && /^[ \t]*\r?\n/.test(part.toString('latin1', 0, 80)),
  }
}

const CHARSET_CHARS_MAX = 40

/** What senders write into headers of parts: a type, a length, an encoding, an id. */
const USUAL_HEADER =
  /^content-(?:type\s*:\s*[\w.+-]+\/[\w.+*-]+(?:\s*;\s*[\w-]+=(?:"[\w.:/+ =?'()-]*"|[\w.:+/-]*))*|length\s*:\s*\d+|(?:transfer-encoding|language)\s*:\s*[\w-]+|id\s*:\s*<?[\w.+-]+(?:@[\w.+-]+)?>?)\s*$/i
const PARAMETER = /[;\s]([\w*-]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^;\s]*))/g

/** Texts in the headers of a part that are neither names nor in their usual form. */
function* unusualTexts(head: string): Generator<string> {
  for (const line of head.split('\n')) {
    if (!/^content-/i.test(line)) continue
    const value = line.slice(line.indexOf(':') + 1).trim()
    if (!/^content-disposition/i.test(line)) {
      if (!USUAL_HEADER.test(line.trim())) yield value
      continue
    }
    for (const [, name = '', quoted, plain] of value.matchAll(PARAMETER))
      if (!/^(?:file)?name\b/i.test(name)) yield quoted?.replace(/\\(["\\])/g, '$1') ?? plain ?? ''
  }
}

/** Values of a parameter in the extended notation with a charset, whole or in pieces (RFC 2231, RFC 8187). */
function extended(disposition: string, name: string): string[] {
  const pieces = parameters(disposition, `${name}\\*(?:\\d+\\*?)?`).map((piece) =>
    piece.replace(/^[\w-]*'[\w-]*'/, ''),
  )
  const all = new Set(pieces.length > 1 ? [...pieces, pieces.join('')] : pieces)
  return [...all].map(percentDecode)
}

/** Shows all names that the file may get which a part is. False where the part is a field. */
function readFileNames(disposition: string, field: string, sink: BodySink): boolean {
  const plain = parameters(disposition, 'filename').map((name) =>
    decodeWords(percentDecode(name.replace(/^'(.*)'$/s, '$1'))),
  )
  const all = new Set([...plain, ...extended(disposition, 'filename')].filter((name) => name !== ''))
  for (const name of all) sink.fileName(field, name)
  return all.size > 0
}

/** Undoes encoded words (RFC 2047), which mail programs and some readers of forms do. */
const decodeWords = (text: string): string =>
  text.replace(/=\?[\w-]{1,40}\?(?:(B)|Q)\?([^?]*)\?=/gi, (_, base64: string | undefined, word: string) =>
    decodeBytes(
      base64 === undefined
        ? (decodeTransfer(Buffer.from(word.replaceAll('_', ' ')), 'quoted-printable').decoded ??
            Buffer.alloc(0))
        : Buffer.from(word, 'base64'),
    ),
  )

function splitPart(part: Buffer): { head: string; content: Buffer } {
  const crlf = part.indexOf('\r\n\r\n')
  const lf = part.indexOf('\n\n')
  const useCrlf = crlf >= 0 && (lf < 0 || crlf < lf)
  const end = useCrlf ? crlf : lf
  if (end < 0 || end > PART_HEAD_BYTES_MAX) return { head: '', content: part }
  const content = part.subarray(end + (useCrlf ? 4 : 2))
  const trailing = content.at(-1) === LF ? (content.at(-2) === CR ? 2 : 1) : 0
  // A header may go on in a line that begins with a space.
  const head = part.toString('utf8', 0, end).replace(/\r?\n[ \t]+/g, ' ')
  return { head, content: content.subarray(0, content.length - trailing) }
}
