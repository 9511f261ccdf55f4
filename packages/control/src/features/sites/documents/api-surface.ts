/** What an OpenAPI document of any version says to who calls its operations, in one form, so that two of them can be compared. */
import { isObject, type Json, listOf, objectOf, resolved } from '@sallyport/api-definition'
import { templateShape } from '@sallyport/policy'

export interface SurfaceParameter {
  /** As people read it: `query limit`. */
  readonly label: string
  readonly isRequired: boolean
  /** Empty where the document does not say it. */
  readonly type: string
}

export interface SurfaceOperation {
  /** Method and path, as the document writes it. */
  readonly label: string
  readonly isDeprecated: boolean
  /** By place and name; those of the path by their position, since their names are nobody's business. */
  readonly parameters: ReadonlyMap<string, SurfaceParameter>
  readonly isBodyRequired: boolean
  readonly requestTypes: ReadonlySet<string>
  /** Media types by status. */
  readonly responses: ReadonlyMap<string, ReadonlySet<string>>
}

const METHODS = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace', 'query']
const LABEL_CHARS_MAX = 300

const textsOf = (value: unknown): string[] => listOf(value).filter((one) => typeof one === 'string')
const label = (text: string): string => text.slice(0, LABEL_CHARS_MAX).toWellFormed()

/** The operations of a document by method and path; two paths that differ in names of parameters alone are one. */
export function surfaceOf(document: unknown): Map<string, SurfaceOperation> {
  const root = objectOf(document)
  const surface = new Map<string, SurfaceOperation>()
  for (const [path, given] of Object.entries(objectOf(root.paths))) {
    const item = resolved(root, given)
    for (const method of METHODS) {
      const operation = item[method]
      if (!isObject(operation)) continue
      const key = `${method} ${templateShape(path)}`
      surface.set(key, operationOf(root, path, `${method.toUpperCase()} ${path}`, item, operation))
    }
  }
  return surface
}

function operationOf(root: Json, path: string, name: string, item: Json, operation: Json): SurfaceOperation {
  // What the operation says stands in the place of what its path says.
  const given = [...listOf(item.parameters), ...listOf(operation.parameters)].map((one) =>
    resolved(root, one),
  )
  // Once: a path may have as many names as the operation has parameters.
  const names = Array.from(path.matchAll(/\{([^{}]*)\}/g), ([, found = '']) => found)
  const positions = new Map(names.map((found, index) => [found, index]))
  const parameters = new Map(
    given
      .filter((one) => one.in !== 'body' && one.in !== 'formData')
      .map((one) => [keyOf(one, positions), parameterOf(root, one)] as const),
  )
  return {
    label: label(name),
    isDeprecated: operation.deprecated === true,
    parameters,
    ...('swagger' in root ? swaggerBodies(root, operation, given) : bodies(root, operation)),
  }
}

function keyOf(parameter: Json, positions: ReadonlyMap<string, number>): string {
  const name = String(parameter.name)
  if (parameter.in !== 'path')
    return `${parameter.in} ${parameter.in === 'header' ? name.toLowerCase() : name}`
  return `path ${positions.get(name) ?? -1}`
}

const parameterOf = (root: Json, parameter: Json): SurfaceParameter => ({
  label: label(`${parameter.in} ${parameter.name}`),
  isRequired: parameter.required === true,
  type: typeOf(root, 'schema' in parameter ? parameter.schema : parameter),
})

function typeOf(root: Json, given: unknown): string {
  const schema = resolved(root, given)
  const types = typeof schema.type === 'string' ? [schema.type] : textsOf(schema.type).toSorted()
  const nullable = schema.nullable === true && !types.includes('null') ? ['null'] : []
  const items =
    types.includes('array') && isObject(schema.items) ? plainType(resolved(root, schema.items)) : ''
  const format = typeof schema.format === 'string' ? ` (${schema.format})` : ''
  return label([...types, ...nullable].join(' or ') + (items && ` of ${items}`) + format)
}

const plainType = ({ type }: Json): string =>
  typeof type === 'string' ? type : textsOf(type).toSorted().join(' or ')

function bodies(root: Json, operation: Json) {
  const body = resolved(root, operation.requestBody)
  return {
    isBodyRequired: body.required === true,
    requestTypes: new Set(Object.keys(objectOf(body.content)).map(label)),
    responses: responsesOf(root, operation, (response) => Object.keys(objectOf(response.content))),
  }
}

function swaggerBodies(root: Json, operation: Json, parameters: readonly Json[]) {
  const body = parameters.filter((one) => one.in === 'body' || one.in === 'formData')
  const consumes = textsOf(operation.consumes ?? root.consumes)
  const produces = textsOf(operation.produces ?? root.produces)
  return {
    isBodyRequired: body.some(({ required }) => required === true),
    requestTypes: new Set(body.length > 0 ? consumes.map(label) : []),
    responses: responsesOf(root, operation, (response) => ('schema' in response ? produces : [])),
  }
}

const responsesOf = (root: Json, operation: Json, typesOf: (response: Json) => readonly string[]) =>
  new Map(
    Object.entries(objectOf(operation.responses))
      .filter(([status]) => !status.startsWith('x-'))
      .map(([status, given]) => [label(status), new Set(typesOf(resolved(root, given)).map(label))] as const),
  )
