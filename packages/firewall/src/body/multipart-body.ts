/**
 * Reads the parts of a multipart body (RFC 7578). A scanner over the bytes that are there: parts that were cut, headers
 * that are odd and boundaries that repeat are all read, where a strict parser would stop and leave the rest unseen.
 */
import { decodeBytes } from '../request/charset.ts'
import { percentDecode } from '../request/percent-decoding.ts'
import type { Steps } from '../slices.ts'
import type { BodySink } from './body-sink.ts'
import { parameter } from './content-type.ts'

const PART_HEAD_BYTES_MAX = 8 * 1024
const PARTS_MAX = 1_000

/** Shows fields and files to `sink`. False where the body does not have the shape that its boundary promises. */
export function* readMultipart(bytes: Buffer, boundary: string, sink: BodySink): Steps<boolean> {
  if (boundary === '') return false
  const delimiter = Buffer.from(`--${boundary}`, 'latin1')
  let start = bytes.indexOf(delimiter)
  if (start < 0) return false
  for (let parts = 0; parts < PARTS_MAX; parts++) {
    const from = start + delimiter.length
    if (bytes[from] === 0x2d && bytes[from + 1] === 0x2d) return true
    const next = bytes.indexOf(delimiter, from)
    const part = bytes.subarray(from, next < 0 ? bytes.length : next)
    readPart(part, sink)
    yield
    if (next < 0) return false
    start = next
  }
  return false
}

function readPart(part: Buffer, sink: BodySink): void {
  const { head, content } = splitPart(part)
  const disposition = /^content-disposition:(.*)$/im.exec(head)?.[1] ?? ''
  const field = percentDecode(parameter(disposition, 'name'))
  if (field !== '') sink.name(field, field)
  const extended = parameter(disposition, 'filename\\*').replace(/^[\w-]*'[\w-]*'/, '')
  const fileName = parameter(disposition, 'filename') || extended
  if (fileName === '') {
    sink.value(field, decodeBytes(content))
    return
  }
  if (extended !== '' && extended !== fileName) sink.fileName(field, percentDecode(extended))
  sink.fileName(field, percentDecode(fileName))
  sink.fileContent(field, content)
}

function splitPart(part: Buffer): { head: string; content: Buffer } {
  const crlf = part.indexOf('\r\n\r\n')
  const lf = part.indexOf('\n\n')
  const useCrlf = crlf >= 0 && (lf < 0 || crlf < lf)
  const end = useCrlf ? crlf : lf
  if (end < 0 || end > PART_HEAD_BYTES_MAX) return { head: '', content: part }
  const content = part.subarray(end + (useCrlf ? 4 : 2))
  const trailing = content.at(-1) === 0x0a ? (content.at(-2) === 0x0d ? 2 : 1) : 0
  return { head: part.toString('utf8', 0, end), content: content.subarray(0, content.length - trailing) }
}
