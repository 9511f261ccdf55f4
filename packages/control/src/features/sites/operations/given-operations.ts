/** The operations that an uploaded API definition gives, in any version of OpenAPI. The document is valid, and still hostile: each step is bounded. */
import { isObject, type Json, listOf, objectOf, resolved } from '@sallyport/api-definition'
import { readTemplate } from '@sallyport/policy'
import { basePathOf } from '../definition/gated-document.ts'

/** A parameter with the type that its values must have; `any` where the document does not say it. */
export interface GivenParameter {
  readonly name: string
  readonly place: 'path' | 'query' | 'header' | 'cookie'
  readonly type: string
  readonly required: boolean
}

export interface GivenOperation {
  readonly method: string
  /** With the base path of the document's server. */
  readonly template: string
  readonly deprecated: boolean
  readonly parameters: readonly GivenParameter[]
  readonly bodyTypes: readonly string[]
  /** Properties at the top of its bodies; an empty name for a body as a whole. */
  readonly bodyNames: readonly string[]
  readonly mediaTypes: readonly string[]
  /** As the document writes them: `200`, `4XX`, `default`. */
  readonly statuses: readonly string[]
}

const METHODS: ReadonlySet<string> = new Set('get put post delete options head patch trace query'.split(' '))
const OPERATIONS_MAX = 10_000
const PARAMETERS_MAX = 200
const NAMES_MAX = 50
/** Schemas that are parts of each other. */
const PARTS_DEEP_MAX = 8
const PLACES: ReadonlySet<unknown> = new Set(['path', 'query', 'header', 'cookie'])

/** The operations of a document, in its order; what has no path that can be matched is left out. */
export function givenOperations(document: Json): GivenOperation[] {
  const base = basePathOf(document)
  const found: GivenOperation[] = []
  for (const [path, item] of Object.entries(objectOf(document.paths))) {
    const template = base + path
    if (path.startsWith('x-') || readTemplate(template) === undefined) continue
    const pathItem = resolved(document, item)
    for (const [method, operation] of Object.entries(pathItem)) {
      if (!METHODS.has(method.toLowerCase()) || !isObject(operation)) continue
      found.push(operationOf(document, method.toUpperCase(), template, pathItem, operation))
      if (found.length === OPERATIONS_MAX) return found
    }
  }
  return found
}

function operationOf(document: Json, method: string, template: string, item: Json, operation: Json) {
  // Those of the operation stand for those of its path.
  const parameters = new Map<string, Json>()
  for (const given of [...listOf(item.parameters), ...listOf(operation.parameters)].slice(
    0,
    PARAMETERS_MAX,
  )) {
    const parameter = resolved(document, given)
    parameters.set(`${String(parameter.in)} ${String(parameter.name)}`, parameter)
  }
  const body = resolved(document, operation.requestBody)
  const hasBody = [...parameters.values()].some(({ in: place }) => place === 'body' || place === 'formData')
  const statuses = Object.entries(objectOf(operation.responses)).filter(
    ([status]) => !status.startsWith('x-'),
  )
  return {
    method,
    template,
    deprecated: operation.deprecated === true,
    parameters: [...parameters.values()].flatMap((parameter) => parameterOf(document, parameter)),
    bodyNames: bodyNamesOf(document, [...parameters.values()], body),
    bodyTypes: hasBody ? typesOf(operation.consumes ?? document.consumes) : keysOf(body.content),
    mediaTypes:
      'swagger' in document
        ? typesOf(operation.produces ?? document.produces)
        : [...new Set(statuses.flatMap(([, response]) => keysOf(resolved(document, response).content)))],
    statuses: statuses.map(([status]) => status).slice(0, NAMES_MAX),
  }
}

/** Of the body that a document has by `requestBody`, or as Swagger 2.0 has it among the parameters. */
function bodyNamesOf(document: Json, parameters: readonly Json[], body: Json): string[] {
  const media = Object.values(objectOf(body.content)).slice(0, NAMES_MAX)
  const schemas = [
    ...media.map((one) => resolved(document, one).schema),
    ...parameters.filter(({ in: place }) => place === 'body').map(({ schema }) => schema),
  ]
  const fields = parameters.filter(({ in: place }) => place === 'formData').map(({ name }) => String(name))
  const names = schemas.flatMap((schema) => {
    const properties = propertiesOf(document, schema, PARTS_DEEP_MAX)
    return properties.length > 0 ? properties : ['']
  })
  return [...new Set([...fields, ...names])].slice(0, PARAMETERS_MAX)
}

function propertiesOf(document: Json, schema: unknown, depthMax: number): string[] {
  const { properties, allOf } = resolved(document, schema)
  const parts = depthMax > 0 ? listOf(allOf).slice(0, NAMES_MAX) : []
  return [
    ...Object.keys(objectOf(properties)).slice(0, PARAMETERS_MAX),
    ...parts.flatMap((part) => propertiesOf(document, part, Math.min(depthMax - 1, 1))),
  ]
}

function parameterOf(document: Json, parameter: Json): GivenParameter[] {
  const { name, in: place, required } = parameter
  if (typeof name !== 'string' || !isPlace(place)) return []
  const schema = 'swagger' in document ? parameter : resolved(document, parameter.schema)
  return [{ name, place, type: typeOf(schema), required: required === true || place === 'path' }]
}

const isPlace = (place: unknown): place is GivenParameter['place'] => PLACES.has(place)

const PLAIN: ReadonlySet<unknown> = new Set(['integer', 'number', 'boolean'])
const FORMATS: ReadonlySet<unknown> = new Set(['uuid', 'date', 'date-time', 'email'])

function typeOf({ type, format }: Json): string {
  const types = listOf(Array.isArray(type) ? type : [type]).filter((one) => one !== 'null')
  const [only] = types
  if (types.length !== 1) return 'any'
  if (typeof only === 'string' && PLAIN.has(only)) return only
  if (only !== 'string') return 'any'
  return typeof format === 'string' && FORMATS.has(format) ? format : 'string'
}

const keysOf = (value: unknown): string[] => Object.keys(objectOf(value)).slice(0, NAMES_MAX)
const typesOf = (value: unknown): string[] =>
  listOf(value)
    .filter((one) => typeof one === 'string')
    .slice(0, NAMES_MAX)
