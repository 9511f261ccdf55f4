/** Judges the body of a request by what its operation declares. */
import { mediaTypeOf } from '../compile/compile-body.ts'
import { NotJudgedError } from '../schema/judge-value.ts'
import type { TableBody, TableSchema } from '../table.ts'
import { formValue } from './form-value.ts'
import { readJsonBody } from './json-body.ts'
import { multipartNames } from './multipart-names.ts'
import { formPairs } from './pairs.ts'
import { MalformedValueError } from './parameter-values.ts'
import type { RequestJudging } from './request-judging.ts'

export interface SentBody {
  /** Values of all `Content-Type` headers. */
  readonly contentTypes: readonly string[]
  /** Without any Content-Encoding; null where it could not be read, or not all of it. */
  readonly bytes: Buffer | null
}

/** Judges a body, also an empty one. @param declared undefined of an operation that says nothing of a body */
export function judgeBody(judging: RequestJudging, declared: TableBody | undefined, sent: SentBody): void {
  const { bytes, contentTypes } = sent
  if (bytes?.length === 0) {
    if (declared?.required) judging.add('parameter_missing', 'body', '', '', 'is missing')
    return
  }
  const [contentType = '', ...others] = new Set(contentTypes)
  const schema = others.length === 0 ? schemaFor(declared, mediaTypeOf(contentType)) : undefined
  if (schema === undefined) {
    judging.add('body_media_type', 'body', '', contentTypes.join(', '), whyOther(declared, others.length > 0))
    return
  }
  if (isRead(mediaTypeOf(contentType)) && hasOtherCharset(contentType)) {
    judging.add('body_media_type', 'body', '', contentType, 'is of a charset other than UTF-8')
    return
  }
  if (bytes === null) judging.noteUnchecked()
  else judgeContent(judging, schema, mediaTypeOf(contentType), { bytes, contentType })
}

const whyOther = (declared: TableBody | undefined, isSeveral: boolean): string => {
  if (!declared) return 'is sent where none is declared'
  return isSeveral ? 'is said to be of several media types' : 'is of a media type that is not declared'
}

/** By its own type, then by the range that it is in. */
function schemaFor(declared: TableBody | undefined, type: string): TableSchema | undefined {
  if (!declared) return undefined
  const { content } = declared
  for (const name of [type, `${type.split('/', 1)[0]}/*`, '*/*'])
    if (Object.hasOwn(content, name)) return content[name]
  return undefined
}

/** Texts of another charset than the one that schemas are judged in could say one thing here and another to the origin. */
const hasOtherCharset = (contentType: string): boolean =>
  Array.from(contentType.matchAll(/;\s*charset\s*=\s*"?([^\s";]*)/gi)).some(
    ([, charset = '']) => !/^(?:utf-?8|us-ascii)$/i.test(charset),
  )

const JSON_TYPE = /^(?:[\w.-]+\/(?:[\w.-]+\+)?json)$/

const URL_ENCODED = 'application/x-www-form-urlencoded'
const IN_PARTS = 'multipart/form-data'

/** Whether the content is judged; of XML, text and data the media type is all that is. */
const isRead = (type: string): boolean => JSON_TYPE.test(type) || type === URL_ENCODED || type === IN_PARTS

function judgeContent(
  judging: RequestJudging,
  schema: TableSchema,
  type: string,
  { bytes, contentType }: { readonly bytes: Buffer; readonly contentType: string },
): void {
  if (JSON_TYPE.test(type)) judgeJson(judging, schema, bytes)
  else if (type === URL_ENCODED) judgeForm(judging, schema, bytes)
  else if (type === IN_PARTS) judgeMultipart(judging, schema, bytes, contentType)
}

function judgeForm(judging: RequestJudging, schema: TableSchema, bytes: Buffer): void {
  const { names } = judging.fieldsOf(schema)
  const pairs = formPairs(bytes.toString('utf8'))
  judgeMethodNames(judging, new Set(pairs.map(({ name }) => name)), names)
  try {
    judgeRead(judging, schema, formValue(pairs, names))
  } catch (error) {
    if (!(error instanceof MalformedValueError)) throw error
    judging.add('body_schema', 'body', '', '', `has a name that ${error.message}`)
  }
}

function judgeJson(judging: RequestJudging, schema: TableSchema, bytes: Buffer): void {
  const read = readJsonBody(bytes)
  if (read.fault !== undefined) judging.add('body_schema', 'body', '', '', read.fault)
  else judgeRead(judging, schema, read.value)
}

function judgeRead(judging: RequestJudging, schema: TableSchema, value: unknown): void {
  try {
    const breach = judging.judgeValue(schema, value)
    if (breach) judging.add('body_schema', 'body', breach.at, '', breach.message)
  } catch (error) {
    if (!(error instanceof NotJudgedError)) throw error
    judging.noteUnchecked()
  }
}

/** Frameworks take a form's `_method` for the method of its request, under whatever sign is before it. */
const METHOD_NAME = /^[^a-z0-9]method$/i

function judgeMethodNames(
  judging: RequestJudging,
  sent: ReadonlySet<string>,
  declared: ReadonlySet<string>,
): void {
  for (const name of sent)
    if (METHOD_NAME.test(name) && !declared.has(name))
      judging.add('body_schema', 'body', name, '', 'asks for another method')
}

/** Of parts of a form their names are judged: which of them must be there, and whether others may. */
function judgeMultipart(
  judging: RequestJudging,
  schema: TableSchema,
  bytes: Buffer,
  contentType: string,
): void {
  const names = multipartNames(bytes, contentType)
  if (names === undefined) {
    judging.add('body_schema', 'body', '', '', 'is no well-formed multipart')
    return
  }
  const { required, names: declared, isOpen } = judging.fieldsOf(schema)
  judgeMethodNames(judging, names, declared)
  for (const name of required)
    if (!names.has(name)) judging.add('body_schema', 'body', name, '', 'is missing')
  if (isOpen) return
  for (const name of names)
    if (!declared.has(name)) judging.add('body_schema', 'body', name, '', 'is a member that is not declared')
}
