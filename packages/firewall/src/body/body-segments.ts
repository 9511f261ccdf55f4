/**
 * The values of a stretch in the middle of a body. It begins and ends anywhere, so it is read by what divides values in its
 * format, and nothing is said of where in the whole they stand.
 */
import { decodeText } from '../decoding/charset.ts'
import { formPairs } from '../request/query.ts'
import { VALUES_PER_STEP, type ValueSink } from '../request/request-value.ts'
import type { Steps } from '../slices.ts'
import type { BodySink } from './body-sink.ts'
import {
  emitFileText,
  emitRaw,
  emitReadable,
  type InspectedBody,
  isLikelyText,
  isTextualBody,
  kindOf,
  sinkFor,
} from './body-values.ts'
import { parseContentType } from './content-type.ts'
import { beginsAsFile } from './file-signatures.ts'
import { unescaped } from './json-body.ts'
import { readMultipart } from './multipart-body.ts'
import { readXml } from './xml-body.ts'

/** @param beginning how the body begins, which says what it is where its type does not */
export function* segmentValues(body: InspectedBody, beginning: Buffer, emit: ValueSink): Steps {
  const { type, charset, boundary } = parseContentType(body.contentType)
  const sink = sinkFor(body.host, emit)
  if (type.startsWith('multipart/')) {
    yield* readParts(body.bytes, boundary, sink, emit)
    return
  }
  const { text } = decodeText(body.bytes, charset)
  yield
  const start = decodeText(beginning, charset).text
  const kind = kindOf(type, start)
  const isData = beginsAsFile(beginning.toString('latin1')) && !isLikelyText(start)
  if (!isTextualBody(type)) emitFileText('', text, emit, isData)
  if (kind === 'json') yield* readJsonPieces(text, sink)
  else if (kind === 'form') yield* readFormPieces(text, sink)
  else if (kind === 'xml') yield* readXml(text, sink)
  else if (isTextualBody(type)) emitRaw(text, emit)
  else emitReadable(text, emit, isData)
}

/** What stands before the first delimiter belongs to a part that began before; then parts as usual. */
function* readParts(bytes: Buffer, boundary: string, sink: BodySink, emit: ValueSink): Steps {
  const delimiter = boundary === '' ? -1 : bytes.indexOf(`\n--${boundary}`)
  const { text } = decodeText(delimiter < 0 ? bytes : bytes.subarray(0, delimiter), '')
  if (!isLikelyText(text)) emitFileText('', text, emit)
  emitReadable(text, emit)
  if (delimiter >= 0) yield* readMultipart(bytes.subarray(delimiter + 1), boundary, sink)
}

/** Between two quotes is a string or what stands between strings: which of them, only the beginning of the body says. */
const PIECE = /(?:[^"\\]|\\[\s\S])+/g
const PUNCTUATION = /^[\s,:{}[\]\d.]*$/

function* readJsonPieces(text: string, sink: BodySink): Steps {
  let pieces = 0
  for (const [piece] of text.matchAll(PIECE)) {
    if (!PUNCTUATION.test(piece)) sink.value('', unescaped(piece))
    if (++pieces % VALUES_PER_STEP === 0) yield
  }
}

/** A piece without an equals sign is the end of a value rather than a name; and what the first begins with may be one of any length. */
function* readFormPieces(text: string, sink: BodySink): Steps {
  let pieces = 0
  for (const { name, value } of formPairs(text)) {
    const parameter = pieces === 0 ? '' : name
    if (value === '') sink.value('', name)
    else {
      sink.name(parameter, name)
      sink.value(parameter, value)
    }
    if (++pieces % VALUES_PER_STEP === 0) yield
  }
}
