/**
 * The operations that an OpenAPI document of any version lists, with the parameters that it names. References are followed within the
 * document only, and every list is bounded: the document is whatever somebody uploaded.
 */
import { basePathOf } from './gated-document.ts'

export type DocumentPlace = 'path' | 'query' | 'header' | 'cookie' | 'body'

export interface DocumentParameter {
  readonly place: DocumentPlace
  /** Of a body, a property at its top; empty for a body as a whole. */
  readonly name: string
}

/** An operation of an API: `template` has its parameters in braces and begins with the base path. */
export interface ApiOperation {
  readonly method: string
  readonly template: string
  readonly source: 'given' | 'learned'
  readonly parameters: readonly DocumentParameter[]
}

type Json = Readonly<Record<string, unknown>>

const METHODS = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace', 'query']
const OPERATIONS_MAX = 5_000
const PARAMETERS_MAX = 100
const NAME_CHARS_MAX = 256
const TEMPLATE_CHARS_MAX = 2_048
const REFERENCES_MAX = 8

/** At most 5,000 operations, in the order of the document. */
export function operationsOfDocument(document: Json): ApiOperation[] {
  const base =
    typeof document.basePath === 'string'
      ? document.basePath.replace(/\/$/, '')
      : basePathOf(document.servers)
  const found: ApiOperation[] = []
  for (const [path, given] of Object.entries(objectOf(document.paths))) {
    const item = resolve(document, given)
    const template = base + path
    if (!path.startsWith('/') || template.length > TEMPLATE_CHARS_MAX) continue
    for (const method of METHODS) {
      if (!Object.hasOwn(item, method)) continue
      found.push({
        method: method.toUpperCase(),
        template,
        source: 'given',
        parameters: parametersOf(document, item, resolve(document, item[method])),
      })
      if (found.length === OPERATIONS_MAX) return found
    }
  }
  return found
}

function parametersOf(document: Json, item: Json, operation: Json): DocumentParameter[] {
  const named = new Map<string, DocumentParameter>()
  const add = (place: DocumentPlace, name: string): void => {
    if (named.size < PARAMETERS_MAX)
      named.set(`${place} ${name}`, { place, name: name.slice(0, NAME_CHARS_MAX) })
  }
  for (const parameter of [...listOf(item.parameters), ...listOf(operation.parameters)]) {
    const { in: place, name, schema } = resolve(document, parameter)
    if (place === 'body') addBody(document, schema, add)
    else if (typeof name === 'string' && typeof place === 'string' && Object.hasOwn(PLACES, place))
      add(PLACES[place] ?? 'query', place === 'header' ? name.toLowerCase() : name)
  }
  for (const media of Object.values(objectOf(resolve(document, operation.requestBody).content)))
    addBody(document, resolve(document, media).schema, add)
  return [...named.values()]
}

const PLACES: Readonly<Record<string, DocumentPlace>> = {
  path: 'path',
  query: 'query',
  header: 'header',
  cookie: 'cookie',
  formData: 'body',
}

/** The properties at the top of a body, or the body as a whole. */
function addBody(document: Json, schema: unknown, add: (place: DocumentPlace, name: string) => void): void {
  const names = propertiesOf(document, schema, REFERENCES_MAX)
  for (const name of names.length > 0 ? names : ['']) add('body', name)
}

function propertiesOf(document: Json, schema: unknown, depthMax: number): string[] {
  const resolved = resolve(document, schema)
  const parts = depthMax > 0 ? listOf(resolved.allOf).slice(0, PARAMETERS_MAX) : []
  return [
    ...Object.keys(objectOf(resolved.properties)).slice(0, PARAMETERS_MAX),
    ...parts.flatMap((part) => propertiesOf(document, part, Math.min(depthMax - 1, 1))),
  ]
}

/** What a value refers to within the document, or the value; an empty object where it is none, or leads nowhere. */
function resolve(document: Json, given: unknown): Json {
  let value = objectOf(given)
  for (let count = 0; typeof value.$ref === 'string'; count++) {
    if (count === REFERENCES_MAX || !value.$ref.startsWith('#/')) return {}
    value = objectOf(at(document, value.$ref))
  }
  return value
}

/** What a JSON pointer in a fragment names (RFC 6901, section 6). */
function at(document: Json, reference: string): unknown {
  let value: unknown = document
  for (const token of reference.slice(2).split('/')) {
    const name = token.replaceAll('~1', '/').replaceAll('~0', '~')
    const object = objectOf(value)
    if (!Object.hasOwn(object, name)) return undefined
    value = object[name]
  }
  return value
}

const objectOf = (value: unknown): Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : {}

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])
