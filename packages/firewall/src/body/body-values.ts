/**
 * The values of a request body, by what its Content-Type says and, where that says nothing, by what it looks like.
 * A body that does not parse as what it claims to be is judged raw as well, and the record says `partial`.
 */
import { ADDRESSES, addressGroup } from '../request/addresses.ts'
import { decodeBody, decodeBytes } from '../request/charset.ts'
import { takeFileName } from '../request/file-names.ts'
import { isForeignUrl } from '../request/head-values.ts'
import type { ValueSink } from '../request/request-value.ts'
import type { Steps } from '../slices.ts'
import type { BodySink } from './body-sink.ts'
import { parseContentType } from './content-type.ts'
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
const FILE_BINARY = addressGroup(ADDRESSES.fileContent)
const FOREIGN_URL = addressGroup(ADDRESSES.foreignUrl)

/** A body as it was received, after its Content-Encoding was undone. */
export interface RequestBody {
  readonly bytes: Buffer
  readonly contentType: string
  /** The Host header of the request. */
  readonly host: string
}

/** Shows every value of the body to `take`. False where some of it could not be read as what it claims to be. */
export function* bodyValues(body: RequestBody, take: ValueSink): Steps<boolean> {
  if (body.bytes.length === 0) return true
  const { type, charset, boundary } = parseContentType(body.contentType)
  const sink = sinkFor(body.host, take)
  if (type.startsWith('multipart/')) {
    const understood = yield* readMultipart(body.bytes, boundary, sink)
    if (!understood) takeRaw(decodeBytes(body.bytes), take)
    return understood
  }
  if (isBinary(type, charset, body.bytes)) {
    take({ part: 'body', parameter: '', text: body.bytes.toString('latin1'), group: FILE_BINARY })
    return true
  }
  const { text, exact } = decodeBody(body.bytes, charset)
  yield
  const understood = yield* readText(text, type, sink, take)
  return understood && exact
}

function* readText(text: string, type: string, sink: BodySink, take: ValueSink): Steps<boolean> {
  const kind = kindOf(type, text)
  if (kind === 'json' || kind === 'xml') {
    const understood = yield* kind === 'json' ? readJson(text, sink) : readXml(text, sink)
    if (!understood) takeRaw(text, take)
    return understood
  }
  if (kind === 'form') yield* readForm(text, sink)
  else takeRaw(text, take)
  if (kind === 'plain' && type === '' && ESCAPED.test(text)) yield* readForm(text, sink)
  if (kind === 'graphql') readGraphqlStrings('', text, sink)
  return true
}

/** In one piece and with escapes of a form: what a client sends that forgot to say that it is one. */
const ESCAPED = /^(?=[^%+]*(?:%[0-9a-f]{2}|\+))\S+$/i

type Kind = 'json' | 'xml' | 'form' | 'graphql' | 'plain'

function kindOf(type: string, text: string): Kind {
  if (type === 'application/graphql') return 'graphql'
  if (/[/+]json$|json-seq$|ndjson$|reports\+json$/.test(type)) return 'json'
  if (/[/+]xml$/.test(type)) return 'xml'
  const first = /^\s*(\S)/.exec(text.slice(0, 64))?.[1] ?? ''
  if (type === 'application/x-www-form-urlencoded')
    return (first === '{' || first === '[') && !text.includes('=') ? 'json' : 'form'
  if (first === '{' || first === '[') return 'json'
  if (first === '<') return 'xml'
  return type === '' && /^[^\s=&]{1,128}=/.test(text) ? 'form' : 'plain'
}

/** Shows the whole text as one value. */
function takeRaw(text: string, take: ValueSink): void {
  take({ part: 'body', parameter: '', text, group: BODY })
}

function isBinary(type: string, charset: string, bytes: Buffer): boolean {
  if (/^(?:image|audio|video|font)\//.test(type) && type !== 'image/svg+xml') return true
  return bytes.subarray(0, 512).includes(0) && !/utf-?16/i.test(charset)
}

function sinkFor(host: string, take: ValueSink): BodySink {
  const sink: BodySink = {
    name: (path, text) => take({ part: 'body', parameter: path, text, group: NAMES }),
    elementName: (path, text) => take({ part: 'body', parameter: path, text, group: ELEMENT_NAMES }),
    value(path, text) {
      if (isForeignUrl(text, host)) take({ part: 'body', parameter: path, text, group: FOREIGN_URL })
      take({ part: 'body', parameter: path, text, group: BODY })
      if (isGraphqlDocument(text)) readGraphqlStrings(path, text, sink)
    },
    fileName(field, text) {
      take({ part: 'file', parameter: field, text: field, group: FILE_FIELD })
      takeFileName('file', field, text, take)
    },
    fileContent(field, bytes) {
      const binary = bytes.subarray(0, 512).includes(0) || !isLikelyText(bytes)
      const text = binary ? bytes.toString('latin1') : decodeBytes(bytes)
      take({ part: 'file', parameter: field, text, group: binary ? FILE_BINARY : FILE_TEXT })
    },
  }
  return sink
}

/** Whether the beginning of a file has none of the control characters that text does not have. */
function isLikelyText(bytes: Buffer): boolean {
  for (const byte of bytes.subarray(0, 512))
    if (byte < 0x20 && byte !== 0x09 && byte !== 0x0a && byte !== 0x0d && byte !== 0x0c && byte !== 0x1b)
      return false
  return true
}
