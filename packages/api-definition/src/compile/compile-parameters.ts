/** Parameters of an operation, of OpenAPI 3 and of Swagger 2, as those of the table. */
import type { ParameterPlace, ParameterStyle, TableParameter, TableSchema } from '../table.ts'
import { PARAMETER_PLACES } from '../table.ts'
import type { SchemaCompiler } from './compile-schemas.ts'
import { type Json, listOf, objectOf, resolved, textOf } from './references.ts'

/** Of which OpenAPI says that a parameter of that name is ignored: other parts of the definition are about them. */
const IGNORED_HEADERS: ReadonlySet<string> = new Set(['accept', 'content-type', 'authorization'])

const DEFAULT_STYLE = { path: 'simple', query: 'form', header: 'simple', cookie: 'form' } as const
const STYLES: ReadonlySet<string> = new Set([
  'form',
  'simple',
  'label',
  'matrix',
  'spaceDelimited',
  'pipeDelimited',
  'deepObject',
])
/** Swagger 2's `collectionFormat`. */
const COLLECTIONS: Readonly<Record<string, ParameterStyle>> = {
  ssv: 'spaceDelimited',
  tsv: 'tabDelimited',
  pipes: 'pipeDelimited',
}

/** Those of a path and of its operation, each once: the operation's own count. As they stand in the document. */
export function declaredParameters(document: Json, ...lists: readonly unknown[]): readonly Json[] {
  const all = lists.flatMap(listOf).map((given) => resolved(document, given))
  return [...new Map(all.map((one) => [`${textOf(one.in)} ${textOf(one.name)}`, one])).values()]
}

export function compileParameters(
  declared: readonly Json[],
  schemas: SchemaCompiler,
  isSwagger: boolean,
): TableParameter[] {
  return declared.flatMap((parameter) => {
    const place = PARAMETER_PLACES.find((one) => one === parameter.in)
    const name = textOf(parameter.name)
    if (!place || name === '' || (place === 'header' && IGNORED_HEADERS.has(name.toLowerCase()))) return []
    const how = isSwagger ? swaggerStyle(parameter, place) : styleOf(parameter, place)
    return [
      {
        in: place,
        name: place === 'header' ? name.toLowerCase() : name,
        ...how,
        ...((parameter.required === true || place === 'path') && { required: true as const }),
        ...(parameter.allowEmptyValue === true && { mayBeEmpty: true as const }),
        schema: schemaOf(parameter, schemas, isSwagger),
      },
    ]
  })
}

function schemaOf(parameter: Json, schemas: SchemaCompiler, isSwagger: boolean): TableSchema {
  if (isSwagger) return schemas.compile(withoutFlags(parameter))
  const [media] = Object.values(objectOf(parameter.content))
  return schemas.compile(media === undefined ? parameter.schema : objectOf(media).schema)
}

/** Swagger 2 has the keywords of the schema in the parameter; `required` is none of them there. */
export const withoutFlags = ({ required: _, ...schema }: Json): Json => schema

function styleOf({ style, explode, content }: Json, place: ParameterPlace) {
  if (content !== undefined) return { style: 'json' as const, explode: false }
  // The set has them all.
  const known = STYLES.has(textOf(style)) ? (style as ParameterStyle) : DEFAULT_STYLE[place]
  return { style: known, explode: typeof explode === 'boolean' ? explode : known === 'form' }
}

function swaggerStyle({ collectionFormat }: Json, place: ParameterPlace) {
  const format = textOf(collectionFormat)
  return { style: COLLECTIONS[format] ?? DEFAULT_STYLE[place], explode: format === 'multi' }
}
