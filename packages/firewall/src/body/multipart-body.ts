/**
 * Reads the parts of a multipart body (RFC 7578). A scanner over all bytes that are there: parts that were cut, headers
 * that are odd, boundaries that repeat and what follows the end are read, where a strict parser would leave them unseen.
 */
import { decodeText } from '../decoding/charset.ts'
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
export function* readMultipart(bytes: Buffer, boundary: string, sink: BodySink): Steps<boolean> {
  if (boundary === '') return false
  const line = Buffer.from(`\n--${boundary}`, 'latin1')
  const delimiter = line.subarray(1)
  // A delimiter begins a line; anywhere else it is content.
  const startsWithOne = bytes.subarray(0, delimiter.length).equals(delimiter)
  let start = startsWithOne ? 0 : nextDelimiter(bytes, line, 0)
  if (start < 0) return false
  let understood = readPart(bytes.subarray(0, start), sink).isBlank
  let closed = false
  for (let parts = 0; parts < PARTS_MAX; parts++) {
    const from = start + delimiter.length
    const next = nextDelimiter(bytes, line, from)
    const closes = bytes[from] === HYPHEN && bytes[from + 1] === HYPHEN
    const part = readPart(bytes.subarray(closes ? from + 2 : from, next < 0 ? bytes.length : next), sink)
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

/** @param part what follows a delimiter, beginning with the end of its line */
function readPart(part: Buffer, sink: BodySink): PartRead {
  const { head, content } = splitPart(part)
  const header = (name: string): string =>
    Array.from(head.matchAll(new RegExp(`^${name}[ \\t]*:([^\\n]*)`, 'gim')), ([, value]) => value).join(';')
  const disposition = header('content-disposition')
  const names = new Set(parameters(disposition, 'name').map(percentDecode))
  // Where readers differ in the name, an exclusion for one of the names covers nothing.
  const field = names.size === 1 ? ([...names][0] ?? '') : ''
  for (const name of names) if (name !== '') sink.name(field, name)
  const odd = head.split('\n').filter((line) => !/^\s*$|^content-[a-z-]+\s*:/i.test(line))
  if (odd.length > 0) sink.value(field, odd.join('\n'))
  const charset = parameter(header('content-type'), 'charset')
  const transfer = decodeTransfer(content, header('content-transfer-encoding').trim().toLowerCase())
  const isFile = readFileNames(disposition, field, sink)
  let exact = names.size <= 1
  for (const bytes of transfer.decoded === undefined ? [content] : [content, transfer.decoded]) {
    const text = decodeText(bytes, charset)
    exact &&= text.exact
    if (isFile) sink.fileContent(field, bytes)
    else for (const each of [text.text, text.withoutZeros]) if (each) sink.value(field, each)
  }
  const isBlank = odd.length === 0 && names.size === 0 && /^\s*$/.test(content.toString('latin1'))
  return {
    isBlank,
    understood: exact && transfer.known && /^[ \t]*\r?\n/.test(part.toString('latin1', 0, 80)),
  }
}

/** Shows all names that the file may get which a part is. False where the part is a field. */
function readFileNames(disposition: string, field: string, sink: BodySink): boolean {
  const plain = parameters(disposition, 'filename').map((name) => name.replace(/^'(.*)'$/s, '$1'))
  const extended = parameters(disposition, 'filename\\*(?:\\d+\\*?)?').map((name) =>
    name.replace(/^[\w-]*'[\w-]*'/, ''),
  )
  // A long name may come in several pieces (RFC 2231).
  const all = new Set([...plain, ...extended, extended.join('')].filter((name) => name !== ''))
  for (const name of all) sink.fileName(field, percentDecode(name))
  return all.size > 0
}

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
