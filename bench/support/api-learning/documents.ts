/** Operations of OpenAPI and Swagger documents, as traffic is made of them and as what was learned is compared with them. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'

export interface DocumentedParameter {
  readonly name: string
  readonly place: 'path' | 'query'
  /** Type of the schema: of a list that of its items. */
  readonly type: 'integer' | 'number' | 'boolean' | 'string'
  readonly format: string
  readonly values: readonly string[]
  readonly isRequired: boolean
}

export interface DocumentedOperation {
  readonly method: string
  /** With the base path of the server. */
  readonly path: string
  readonly parameters: readonly DocumentedParameter[]
  readonly status: number
}

export interface ApiDocument {
  readonly name: string
  readonly operations: readonly DocumentedOperation[]
}

type Json = Readonly<Record<string, unknown>>

const METHODS = ['get', 'put', 'post', 'delete', 'patch', 'head']

/** All documents of a folder. */
export const readDocuments = (folder: string): ApiDocument[] =>
  readdirSync(folder)
    .filter((file) => /\.(?:json|ya?ml)$/.test(file))
    .sort()
    .map((file) => {
      const text = readFileSync(join(folder, file), 'utf8')
      const json = file.endsWith('.json') ? JSON.parse(text) : parse(text, { maxAliasCount: -1 })
      return { name: file.replace(/\.\w+$/, ''), operations: operationsOf(json) }
    })

/** The operations of a document. One of which a path cannot be asked for by itself, such as `/token#refresh`, is left out. */
export function operationsOf(document: Json): DocumentedOperation[] {
  const base = basePathOf(document)
  return Object.entries(objectOf(document.paths)).flatMap(([path, given]) => {
    const item = resolved(document, given)
    if (path.includes('#') || path.includes('?')) return []
    return METHODS.flatMap((method) => {
      const operation = item[method]
      if (!operation) return []
      const shared = listOf(item.parameters)
      const own = listOf(objectOf(operation).parameters)
      const parameters = [...shared, ...own].flatMap((parameter) =>
        parameterOf(document, resolved(document, parameter)),
      )
      const byName = new Map(
        parameters.map((parameter) => [`${parameter.place} ${parameter.name}`, parameter]),
      )
      const status = Object.keys(objectOf(objectOf(operation).responses)).find((code) => /^2\d\d$/.test(code))
      return [
        {
          method: method.toUpperCase(),
          path: base + path,
          parameters: [...byName.values()],
          status: Number(status ?? 200),
        },
      ]
    })
  })
}

function basePathOf({ basePath, servers }: Json): string {
  if (typeof basePath === 'string') return basePath.replace(/\/$/, '')
  const url = objectOf(listOf(servers)[0]).url
  return typeof url === 'string' ? url.replace(/^https?:\/\/[^/]+/, '').replace(/\/$/, '') : ''
}

function parameterOf(document: Json, parameter: Json): DocumentedParameter[] {
  const place = parameter.in
  if ((place !== 'path' && place !== 'query') || typeof parameter.name !== 'string') return []
  const whole = simple(document, parameter.schema ?? parameter)
  const schema = whole.type === 'array' ? simple(document, whole.items) : whole
  const type = schema.type
  const isKnown = type === 'integer' || type === 'number' || type === 'boolean'
  return [
    {
      name: parameter.name,
      place,
      type: isKnown ? type : 'string',
      format: typeof schema.format === 'string' ? schema.format : '',
      values: listOf(schema.enum).map(String),
      isRequired: parameter.required === true || place === 'path',
    },
  ]
}

/** Of alternatives the first one. */
function simple(document: Json, given: unknown, depth = 0): Json {
  const schema = resolved(document, given)
  const [first] = [...listOf(schema.oneOf), ...listOf(schema.anyOf), ...listOf(schema.allOf)]
  if (first === undefined || depth > 5)
    return Array.isArray(schema.type) ? { ...schema, type: schema.type[0] } : schema
  return { ...schema, ...simple(document, first, depth + 1) }
}

function resolved(document: Json, given: unknown): Json {
  let value = objectOf(given)
  for (let depth = 0; typeof value.$ref === 'string' && depth < 10; depth++) {
    let found: unknown = document
    for (const part of value.$ref.slice(2).split('/'))
      found = objectOf(found)[part.replaceAll('~1', '/').replaceAll('~0', '~')]
    value = objectOf(found)
  }
  return value
}

// Whatever is no object has no members.
const objectOf = (value: unknown): Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : {}
const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])
