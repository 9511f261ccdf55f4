/**
 * The values of a request body, by what its Content-Type says and, where that says nothing, by what it looks like.
 * A body that does not parse as what it claims to be is judged raw as well, and the record says `partial`.
 */

import { bytesBehind, charsetReader, decodeBytes, decodeText, isKnownCharset } from '../decoding/charset.ts'
import { GROUPS } from '../request/addresses.ts'
import { emitFileName } from '../request/file-names.ts'
import { isForeignUrl } from '../request/head-values.ts'
import { isOddName } from '../request/query.ts'
import type { ValueSink } from '../request/request-value.ts'
import type { Steps } from '../slices.ts'
import type { BodySink } from './body-sink.ts'
import { parameters, parseContentType } from './content-type.ts'
import { beginsAsFile } from './file-signatures.ts'
import { readForm, readFormIn } from './form-body.ts'
import { isGraphqlDocument, readGraphqlStrings } from './graphql-body.ts'
import { readJson } from './json-body.ts'
import { readMultipart } from './multipart-body.ts'
import { readXml } from './xml-body.ts'

/** A body as it was received, after its Content-Encoding was undone. */
export interface InspectedBody {
  readonly bytes: Buffer
  readonly contentType: string
  /** The Host header of the request. */
  readonly host: string
}

/** Shows every value of the body to `emit`. False where some of it could not be read as what it claims to be. */
export function* bodyValues(body: InspectedBody, emit: ValueSink): Steps<boolean> {
  if (body.bytes.length === 0) return true
  const { type, charset, boundary } = parseContentType(body.contentType)
  const sink = sinkFor(body.host, emit)
  if (type.startsWith('multipart/')) {
    const understood = yield* readMultipart(body.bytes, boundary, sink, charset)
    const others = otherBoundaries(body.contentType, boundary)
    for (const other of others) yield* readMultipart(body.bytes, other, sink)
    const isPlain = understood && others.length === 0 && !TWO_BOUNDARIES.test(body.contentType)
    if (!isPlain) emitReadable(decodeBytes(body.bytes), emit)
    return isPlain
  }
  const { text, withoutZeros, isUtf16, exact } = decodeText(body.bytes, charset)
  yield
  yield* readUndecoded(body.bytes, charset, type, sink, emit)
  const understood = yield* readText(text, type, sink, emit)
  // In an image zeros are no sign of another charset, unless they were taken for one.
  if (withoutZeros !== undefined && (isTextual(type) || isUtf16 || isLikelyText(text)))
    yield* readText(withoutZeros, type, sink, emit)
  return understood && exact
}

/**
 * Shows a body as those read it who do not know its charset, and as a form of which only the escapes are in that charset.
 */
function* readUndecoded(
  bytes: Buffer,
  charset: string,
  type: string,
  sink: BodySink,
  emit: ValueSink,
): Steps {
  const reader = charsetReader(charset.toLowerCase())
  if (!reader) return
  const text = decodeBytes(bytes)
  if (kindOf(type, text) === 'form') yield* readFormIn(reader, text, sink)
  if (isMostlyAscii(text)) yield* readText(text, type, sink, emit)
  else emitRuns(text, emit)
}

/**
 * Shows a body as it was sent, before its Content-Encoding was undone, which is what origins read that ignore the header.
 * @param wasDecoded whether all of it is compressed data, in which no form begins
 */
export function* encodedBodyValues(body: InspectedBody, wasDecoded: boolean, emit: ValueSink): Steps {
  const text = decodeBytes(body.bytes)
  if (!wasDecoded && isLikelyText(text)) yield* bodyValues(body, emit)
  else emitRuns(text, emit)
}

/** What some origins take for the boundary: the last of several, or what stands before a comma. */
function otherBoundaries(contentType: string, boundary: string): string[] {
  const last = parameters(contentType, 'boundary').at(-1) ?? ''
  const all = new Set([last, ...[boundary, last].map((each) => each.split(',')[0] ?? '')])
  return [...all].filter((each) => each !== boundary && each !== '')
}

/** Of which origins take either. */
const TWO_BOUNDARIES = /[;\s]boundary[\s*\d]*=.*[;\s]boundary[\s*\d]*=/i

function* readText(text: string, type: string, sink: BodySink, emit: ValueSink): Steps<boolean> {
  const kind = kindOf(type, text)
  const isFile = !isTextual(type)
  // An origin that goes by what it sees takes a file for a form, and one that stores it has the whole of it.
  if (isFile) emit({ part: 'body', parameter: '', text, group: GROUPS.fileContent })
  if (kind === 'json' || kind === 'xml') {
    const understood = yield* kind === 'json' ? readJson(text, sink) : readXml(text, sink)
    if (!understood) emitRaw(text, emit)
    const reader = kind === 'xml' ? charsetReader(declaredEncoding(text)) : undefined
    if (reader) for (const bytes of bytesBehind(text)) yield* readXml(reader(bytes), sink)
    return understood && (kind === 'json' || hasKnownEncoding(text))
  }
  if (kind === 'form') yield* readForm(text, sink)
  else if (isTextual(type) && type !== '') emitRaw(text, emit)
  else emitReadable(text, emit)
  if (kind === 'plain' && ESCAPED.test(text)) yield* readForm(text, sink)
  if (kind === 'graphql') readGraphqlStrings('', text, sink)
  return kind !== 'plain' || MEDIA.test(type) || isLikelyText(text)
}

/**
 * Shows the contents of a file: text to all rules for bodies, too.
 * @param isData whether it is known to be of a file whose strings say little
 */
export function emitFileText(field: string, text: string, emit: ValueSink, isData = false): void {
  const group = !isData && isLikelyText(text) ? GROUPS.fileText : GROUPS.fileContent
  emit({ part: 'file', parameter: field, text, group })
}

/** What a document says of its own charset, lower case, which those who read XML believe. */
const declaredEncoding = (text: string): string =>
  (/^\s*<\?xml\b[^>]{0,200}?\bencoding\s*=\s*["']([^"'>]{1,64})/.exec(text)?.[1] ?? '').toLowerCase()

const hasKnownEncoding = (text: string): boolean => isKnownCharset(declaredEncoding(text))

const FORM = /^[^\s=&]{1,128}=/
/** In one piece and with escapes of a form: what a client sends that forgot to say that it is one. */
const ESCAPED = /^(?=[^%+]*(?:%[0-9a-f]{2}|\+))\S+$/i

type Kind = 'json' | 'xml' | 'form' | 'graphql' | 'plain'

/** What a body is: by its type, otherwise by how its text begins. */
export function kindOf(type: string, text: string): Kind {
  if (type === 'application/graphql') return 'graphql'
  if (/[/+]json$|json-seq$|ndjson$|reports\+json$/.test(type)) return 'json'
  if (/[/+]xml$/.test(type)) return 'xml'
  const first = /^\s*(\S)/.exec(text.slice(0, 1_024))?.[1] ?? ''
  if (type === 'application/x-www-form-urlencoded')
    return (first === '{' || first === '[') && !text.includes('=') ? 'json' : 'form'
  if (first === '{' || first === '[') return 'json'
  if (first === '<') return 'xml'
  return !type.startsWith('text/') && FORM.test(text) && isLikelyText(text) ? 'form' : 'plain'
}

/** Shows the whole text as one value. */
export function emitRaw(text: string, emit: ValueSink): void {
  if (text !== '') emit({ part: 'body', parameter: '', text, group: GROUPS.body })
}

const MEDIA = /^(?:image|audio|video|font)\//
const TEXTUAL =
  /^$|^text\/|[/+](?:json|xml)$|json-seq$|ndjson$|^application\/(?:x-www-form-urlencoded|graphql)$/

/** Whether the body is text by its Content-Type; without a type it is judged as text, too. */
const isTextual = (type: string): boolean => TEXTUAL.test(type)

/** Whether a Content-Type header says that the body is text, or says nothing. */
export const isTextualBody = (contentType: string): boolean => isTextual(parseContentType(contentType).type)

/** Shows what readers of bodies find as values of a request to `host`. */
export function sinkFor(host: string, emit: ValueSink): BodySink {
  const sink: BodySink = {
    name(path, text) {
      emit({ part: 'body', parameter: path, text, group: GROUPS.parameterNames })
      if (isOddName(text)) sink.value(path, text)
    },
    otherText: (path, text) => emit({ part: 'body', parameter: path, text, group: GROUPS.otherText }),
    elementName: (path, text) => emit({ part: 'body', parameter: path, text, group: GROUPS.elementNames }),
    value(path, text) {
      if (isForeignUrl(text, host)) emit({ part: 'body', parameter: path, text, group: GROUPS.foreignUrl })
      emit({ part: 'body', parameter: path, text, group: GROUPS.body })
      if (isGraphqlDocument(text)) readGraphqlStrings(path, text, sink)
    },
    fileName(field, text) {
      emit({ part: 'file', parameter: field, text: field, group: GROUPS.fileFields })
      emitFileName('file', field, text, emit)
    },
    fileContent(field, bytes) {
      const { text, withoutZeros, isUtf16 } = decodeText(bytes, '')
      // A file may only look like UTF-16, and be read byte by byte.
      for (const each of isUtf16 ? [text, withoutZeros] : [text]) if (each) emitFileText(field, each, emit)
    },
  }
  return sink
}

// biome-ignore-start lint/suspicious/noControlCharactersInRegex: they are what is looked for
const CONTROL = /[\x00-\x08\x0b\x0e-\x1a\x1c-\x1f]/g
/** Compressed data has a run as long as this once in some megabytes. */
const READABLE_RUN = /[\t\n\r\x20-\x7e]{16,}/g
// biome-ignore-end lint/suspicious/noControlCharactersInRegex: as above

/** Whether the beginning has few of the control characters that text does not have: 4, or one in 32. */
export function isLikelyText(text: string): boolean {
  const beginning = text.slice(0, 512)
  return (beginning.match(CONTROL)?.length ?? 0) * 32 <= Math.max(beginning.length, 128)
}

/** Whether the beginning is ASCII but for a tenth at most. */
function isMostlyAscii(text: string): boolean {
  const beginning = text.slice(0, 512)
  return beginning.replace(/[\t-\r\x20-\x7e]/g, '').length * 10 <= beginning.length
}

/**
 * Shows a text, or what can be read of data that is none: the noise between would match something in every second file.
 * @param isData whether it is known to be of a file whose strings say little
 */
export function emitReadable(text: string, emit: ValueSink, isData = false): void {
  if (!isData && isLikelyText(text)) emitRaw(text, emit)
  else emitRuns(text, emit, isData)
}

/** Three letters of one case in a row, which the tables of a font hardly ever have. */
const WORD = /[a-z]{3}|[A-Z]{3}/

function emitRuns(data: string, emit: ValueSink, isKnownData = false): void {
  const isData = isKnownData || beginsAsFile(data)
  const runs = (data.match(READABLE_RUN) ?? []).filter((run) => !isData || WORD.test(run))
  const text = runs.join('\n')
  if (text !== '') emit({ part: 'body', parameter: '', text, group: GROUPS.body, isData })
}
