/** The body of an operation as that of the table. */
import type { TableBody, TableSchema } from '../table.ts'
import { withoutFlags } from './compile-parameters.ts'
import type { SchemaCompiler } from './compile-schemas.ts'
import { type Json, listOf, objectOf, resolved, textOf } from './references.ts'

const MEDIA_TYPES_MAX = 32

/** Of OpenAPI 3. Undefined where the operation says nothing of a body. */
export function compileBody(document: Json, given: unknown, schemas: SchemaCompiler): TableBody | undefined {
  if (given === undefined) return undefined
  const { content, required } = resolved(document, given)
  const media = Object.entries(objectOf(content)).slice(0, MEDIA_TYPES_MAX)
  const entries = media.map(
    ([type, value]) => [mediaTypeOf(type), schemas.compile(resolved(document, value).schema)] as const,
  )
  return bodyOf(contentOf(entries), required)
}

/** What differs by parameters of one media type, as by its version, are alternatives. */
function contentOf(entries: readonly (readonly [string, TableSchema])[]): TableBody['content'] {
  const schemas = new Map<string, TableSchema[]>()
  for (const [type, schema] of entries) schemas.set(type, [...(schemas.get(type) ?? []), schema])
  return Object.fromEntries(
    Array.from(schemas, ([type, all]) => [
      type,
      all.length === 1 && all[0] !== undefined ? all[0] : { anyOf: all },
    ]),
  )
}

/** Of Swagger 2, whose bodies and forms are parameters. */
export function compileSwaggerBody(
  declared: readonly Json[],
  consumes: unknown,
  schemas: SchemaCompiler,
): TableBody | undefined {
  const types = listOf(consumes).map(textOf).slice(0, MEDIA_TYPES_MAX)
  const body = declared.find((parameter) => parameter.in === 'body')
  if (body) {
    const schema = schemas.compile(body.schema)
    const named = types.length === 0 ? ['application/json'] : types
    return bodyOf(Object.fromEntries(named.map((type) => [mediaTypeOf(type), schema])), body.required)
  }
  const fields = declared.filter((parameter) => parameter.in === 'formData')
  if (fields.length === 0) return undefined
  const forms = types.map(mediaTypeOf).filter((type) => FORMS.includes(type))
  const schema: TableSchema = schemas.compile({
    type: 'object',
    properties: Object.fromEntries(fields.map((field) => [textOf(field.name), withoutFlags(field)])),
    required: fields.filter((field) => field.required === true).map((field) => textOf(field.name)),
  })
  const named = forms.length === 0 ? FORMS : forms
  return bodyOf(Object.fromEntries(named.map((type) => [type, schema])), fields.some(isRequired))
}

const FORMS = ['application/x-www-form-urlencoded', 'multipart/form-data']
const isRequired = ({ required }: Json): boolean => required === true

const bodyOf = (content: Readonly<Record<string, TableSchema>>, required: unknown): TableBody => ({
  ...(required === true && { required: true }),
  content,
})

/** A media type without its parameters, lower case. */
export const mediaTypeOf = (type: string): string => (type.split(';', 1)[0] ?? '').trim().toLowerCase()
