/** What an OpenAPI document of any version says to who calls its operations, in one form, so that two of them can be compared. */

type Json = Readonly<Record<string, unknown>>

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
/** References one after the other that are followed. */
const CHAIN_MAX = 50
const LABEL_CHARS_MAX = 300

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])
const textsOf = (value: unknown): string[] => listOf(value).filter((one) => typeof one === 'string')
const label = (text: string): string => text.slice(0, LABEL_CHARS_MAX).toWellFormed()

/** The operations of a document by method and path; two paths that differ in names of parameters alone are one. */
export function surfaceOf(document: unknown): Map<string, SurfaceOperation> {
  const root = isObject(document) ? document : {}
  const surface = new Map<string, SurfaceOperation>()
  for (const [path, given] of Object.entries(isObject(root.paths) ? root.paths : {})) {
    const item = resolve(root, given)
    for (const method of METHODS) {
      const operation = item[method]
      if (!isObject(operation)) continue
      const key = `${method} ${path.replaceAll(/\{[^{}]*\}/g, '{}')}`
      surface.set(key, operationOf(root, path, `${method.toUpperCase()} ${path}`, item, operation))
    }
  }
  return surface
}

function operationOf(root: Json, path: string, name: string, item: Json, operation: Json): SurfaceOperation {
  // What the operation says stands in the place of what its path says.
  const given = [...listOf(item.parameters), ...listOf(operation.parameters)].map((one) => resolve(root, one))
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
  const schema = resolve(root, given)
  const types = typeof schema.type === 'string' ? [schema.type] : textsOf(schema.type).toSorted()
  const nullable = schema.nullable === true && !types.includes('null') ? ['null'] : []
  const items =
    types.includes('array') && isObject(schema.items) ? plainType(resolve(root, schema.items)) : ''
  const format = typeof schema.format === 'string' ? ` (${schema.format})` : ''
  return label([...types, ...nullable].join(' or ') + (items && ` of ${items}`) + format)
}

const plainType = ({ type }: Json): string =>
  typeof type === 'string' ? type : textsOf(type).toSorted().join(' or ')

function bodies(root: Json, operation: Json) {
  const body = resolve(root, operation.requestBody)
  return {
    isBodyRequired: body.required === true,
    requestTypes: new Set(Object.keys(isObject(body.content) ? body.content : {}).map(label)),
    responses: responsesOf(root, operation, (response) =>
      Object.keys(isObject(response.content) ? response.content : {}),
    ),
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
    Object.entries(isObject(operation.responses) ? operation.responses : {})
      .filter(([status]) => !status.startsWith('x-'))
      .map(([status, given]) => [label(status), new Set(typesOf(resolve(root, given)).map(label))] as const),
  )

/** What a part is, once its references are followed; nothing where they lead nowhere. */
function resolve(root: Json, given: unknown): Json {
  let value = given
  for (let steps = 0; steps < CHAIN_MAX; steps++) {
    if (!isObject(value)) return {}
    if (typeof value.$ref !== 'string') return value
    value = targetOf(root, value.$ref)
  }
  return {}
}

function targetOf(root: Json, reference: string): unknown {
  if (!reference.startsWith('#/')) return undefined
  let value: unknown = root
  for (const part of reference.slice(2).split('/')) {
    const key = decoded(part).replaceAll('~1', '/').replaceAll('~0', '~')
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined
    value = (value as Json)[key]
  }
  return value
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}
