/**
 * The values of a request body, by what its Content-Type says and, where that says nothing, by what it looks like.
 * A body that does not parse as what it claims to be is judged raw as well, and the record says `partial`.
 */

import { decodeBytes, decodeText, isKnownCharset } from '../decoding/charset.ts'
import { ADDRESSES, addressGroup } from '../request/addresses.ts'
import { emitFileName } from '../request/file-names.ts'
import { isForeignUrl } from '../request/head-values.ts'
import type { ValueSink } from '../request/request-value.ts'
import type { Steps } from '../slices.ts'
import type { BodySink } from './body-sink.ts'
import { parameters, parseContentType } from './content-type.ts'
import { readForm } from './form-body.ts'
import { isGraphqlDocument, readGraphqlStrings } from './graphql-body.ts'
import { readJson } from './json-body.ts'
import { readMultipart } from './multipart-body.ts'
import { readXml } from './xml-body.ts'

const BODY = addressGroup(ADDRESSES.body)
const NAMES = addressGroup(ADDRESSES.parameterNames)
const ELEMENT_NAMES = addressGroup(ADDRESSES.elementNames)
const FILE_FIELD = addressGroup(ADDRESSES.fileFields)
const FILE_TEXT = addressGroup(ADDRESSES.fileContent, ADDRESSES.body)
const FILE = addressGroup(ADDRESSES.fileContent)
const FOREIGN_URL = addressGroup(ADDRESSES.foreignUrl)

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
    const understood = yield* readMultipart(body.bytes, boundary, sink)
    const others = otherBoundaries(body.contentType, boundary)
    for (const other of others) yield* readMultipart(body.bytes, other, sink)
    const isPlain = understood && others.length === 0 && !TWO_BOUNDARIES.test(body.contentType)
    if (!isPlain) emitRaw(readable(decodeBytes(body.bytes)), emit)
    return isPlain
  }
  const { text, withoutZeros, isUtf16, exact } = decodeText(body.bytes, charset)
  yield
  const understood = yield* readText(text, type, sink, emit)
  // In an image zeros are no sign of another charset, unless they were taken for one.
  if (withoutZeros !== undefined && (isTextual(type) || isUtf16 || isLikelyText(text)))
    yield* readText(withoutZeros, type, sink, emit)
  return understood && exact
}

/**
 * Shows a body as it was sent, before its Content-Encoding was undone, which is what origins read that ignore the header.
 * @param wasDecoded whether all of it is compressed data, in which no form begins
 */
export function* encodedBodyValues(body: InspectedBody, wasDecoded: boolean, emit: ValueSink): Steps {
  const text = decodeBytes(body.bytes)
  if (!wasDecoded && isLikelyText(text)) yield* bodyValues(body, emit)
  else emitRaw(readableRuns(text), emit)
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
  if (isFile) emit({ part: 'body', parameter: '', text, group: FILE })
  if (kind === 'json' || kind === 'xml') {
    const understood = yield* kind === 'json' ? readJson(text, sink) : readXml(text, sink)
    if (!understood) emitRaw(text, emit)
    return understood && (kind === 'json' || hasKnownEncoding(text))
  }
  if (kind === 'form') yield* readForm(text, sink)
  else emitRaw(isTextual(type) && type !== '' ? text : readable(text), emit)
  if (kind === 'plain' && ESCAPED.test(text)) yield* readForm(text, sink)
  if (kind === 'graphql') readGraphqlStrings('', text, sink)
  return kind !== 'plain' || MEDIA.test(type) || isLikelyText(text)
}

/** What a document says of its own charset, which those who read XML believe. */
const hasKnownEncoding = (text: string): boolean =>
  isKnownCharset(
    (/^\s*<\?xml\b[^>]{0,200}?\bencoding\s*=\s*["']([^"'>]{1,64})/.exec(text)?.[1] ?? '').toLowerCase(),
  )

const FORM = /^[^\s=&]{1,128}=/
/** In one piece and with escapes of a form: what a client sends that forgot to say that it is one. */
const ESCAPED = /^(?=[^%+]*(?:%[0-9a-f]{2}|\+))\S+$/i

type Kind = 'json' | 'xml' | 'form' | 'graphql' | 'plain'

function kindOf(type: string, text: string): Kind {
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
function emitRaw(text: string, emit: ValueSink): void {
  if (text !== '') emit({ part: 'body', parameter: '', text, group: BODY })
}

const MEDIA = /^(?:image|audio|video|font)\//
const TEXTUAL =
  /^$|^text\/|[/+](?:json|xml)$|json-seq$|ndjson$|^application\/(?:x-www-form-urlencoded|graphql)$/

/** Whether a type says that the body is text; without a type it is judged as text, too. */
const isTextual = (type: string): boolean => TEXTUAL.test(type)

function sinkFor(host: string, emit: ValueSink): BodySink {
  const sink: BodySink = {
    name: (path, text) => emit({ part: 'body', parameter: path, text, group: NAMES }),
    elementName: (path, text) => emit({ part: 'body', parameter: path, text, group: ELEMENT_NAMES }),
    value(path, text) {
      if (isForeignUrl(text, host)) emit({ part: 'body', parameter: path, text, group: FOREIGN_URL })
      emit({ part: 'body', parameter: path, text, group: BODY })
      if (isGraphqlDocument(text)) readGraphqlStrings(path, text, sink)
    },
    fileName(field, text) {
      emit({ part: 'file', parameter: field, text: field, group: FILE_FIELD })
      emitFileName('file', field, text, emit)
    },
    fileContent(field, bytes) {
      const { text, withoutZeros, isUtf16 } = decodeText(bytes, '')
      // A file may only look like UTF-16, and be read byte by byte.
      for (const each of isUtf16 ? [text, withoutZeros] : [text])
        if (each)
          emit({ part: 'file', parameter: field, text: each, group: isLikelyText(each) ? FILE_TEXT : FILE })
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
function isLikelyText(text: string): boolean {
  const beginning = text.slice(0, 512)
  return (beginning.match(CONTROL)?.length ?? 0) * 32 <= Math.max(beginning.length, 128)
}

/** A text, or what can be read of data that is none: the noise between would match something in every second file. */
const readable = (text: string): string => (isLikelyText(text) ? text : readableRuns(text))

const readableRuns = (text: string): string => (text.match(READABLE_RUN) ?? []).join('\n')
