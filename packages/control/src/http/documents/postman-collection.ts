/**
 * Makes an API definition of a Postman collection: its operations, with the names of their parameters and the media types of their bodies. A library reads
 * the collection; of what it finds only that is kept, since a collection is of examples, and so of values, types guessed of them, and secrets.
 */
import { isObject, type Json, listOf, objectOf } from '@sallyport/api-definition'
import { templateShape } from '@sallyport/policy'
import { convert } from '@scalar/postman-to-openapi'
import { BadDocument } from './bad-document.ts'

const COLLECTION = /^https:\/\/schema\.(?:getpostman|postman)\.com\/json\/collection\/v(\d+)\.(\d+)\.\d+\//
const METHODS = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace']
const PLACES: readonly unknown[] = ['path', 'query', 'header', 'cookie']
const TITLE_CHARS_MAX = 200
const PATH_CHARS_MAX = 2_048

/** The definition that a collection stands for; undefined where the value is none. Throws a `BadDocument` for one that cannot be read. */
export function definitionOfCollection(value: unknown): Json | undefined {
  if (!isObject(value) || !isObject(value.info) || typeof value.info.schema !== 'string') return undefined
  const [, major, minor] = COLLECTION.exec(value.info.schema) ?? []
  if (major === undefined) return undefined
  if (major !== '2' || (minor !== '0' && minor !== '1'))
    throw new BadDocument(
      'malformed',
      'Of Postman collections, versions 2.0 and 2.1 are read.',
      '/info/schema',
    )
  return { ...definitionOf(converted(value)), info: { title: titleOf(value.info), version: '1' } }
}

/** What the library makes of it. It checks little of what it reads, and fails in its own words. */
function converted(collection: Json): Json {
  try {
    return objectOf(quietly(() => convert(JSON.stringify(collection, withoutValues))))
  } catch (error) {
    if (error instanceof Error)
      throw new BadDocument('malformed', 'The body is no Postman collection that can be read.')
    throw error
  }
}

/** Where a collection has addresses, and the text of a body, of which nothing is kept. */
const ADDRESSES: readonly string[] = ['raw', 'url', 'request']

/** Of how requests sign in nothing is kept, and most ways to do so the library refuses with the whole collection. */
function withoutValues(name: string, value: unknown): unknown {
  if (name === 'auth') return undefined
  return ADDRESSES.includes(name) && typeof value === 'string' ? withoutQuery(value) : value
}

/**
 * The library takes all that stands before the first slash for a host, so a value of a query that has one would be a path. Schemes other than
 * those of HTTP, and one that is a variable, it does not know.
 */
const withoutQuery = (address: string): string =>
  address.replace(/[?#].*$/s, '').replace(/^[^/]*:\/\//, 'https://')

/** Without what the library writes of what it stumbles over: addresses, with all that is in them, would stand in the log. */
function quietly<Result>(work: () => Result): Result {
  const { error, warn } = console
  const write = (): void => undefined
  Object.assign(console, { error: write, warn: write })
  try {
    return work()
  } finally {
    Object.assign(console, { error, warn })
  }
}

const titleOf = ({ name }: Json): string =>
  (typeof name === 'string' && name.slice(0, TITLE_CHARS_MAX).toWellFormed()) || 'Postman collection'

function definitionOf(converted: Json): Json {
  const paths = new Map<string, { readonly path: string; readonly item: Record<string, unknown> }>()
  for (const [path, item] of Object.entries(objectOf(converted.paths)))
    for (const method of METHODS) {
      const operation = objectOf(item)[method]
      // Names that are repeated only make a template longer.
      if (!isObject(operation) || path.length > PATH_CHARS_MAX) continue
      const whole = templateOf(
        `${basePathOf(operation.servers ?? objectOf(item).servers ?? converted.servers)}${path}`,
      )
      if (!whole.startsWith('/') || whole.length > PATH_CHARS_MAX) continue
      const shape = templateShape(whole)
      const known = paths.get(shape) ?? { path: whole, item: {} }
      paths.set(shape, known)
      // Of requests that differ in the names of their parameters alone the first one names them.
      known.item[method] ??= operationOf(operation, known.path)
    }
  return {
    openapi: '3.1.0',
    paths: Object.fromEntries([...paths.values()].map(({ path, item }) => [path, item])),
  }
}

/** The path before those of a server. What is in a variable of somebody's environment is not known, and counts as none. */
function basePathOf(servers: unknown): string {
  const [first] = listOf(servers)
  if (!isObject(first) || typeof first.url !== 'string' || first.url.startsWith('{')) return ''
  const path = URL.parse(first.url, 'https://origin.invalid')?.pathname ?? ''
  return path.replace(/\/+$/, '')
}

/** Each name once, as templates have them. */
function templateOf(path: string): string {
  const names = new Set<string>()
  return path.replaceAll(/\{([^{}]*)\}/g, (_whole, given: string) => {
    let name = given
    for (let count = 2; names.has(name); count += 1) name = `${given}${count}`
    names.add(name)
    return `{${name}}`
  })
}

/** A request that nobody has named is called by its whole address, with all that is in its query. */
const ADDRESS = /:\/\/|[?&][^\s=]*=/

function operationOf({ summary, parameters, requestBody, responses }: Json, path: string): Json {
  const body = mediaTypesOf(requestBody)
  const name = typeof summary === 'string' && !ADDRESS.test(summary) ? summary : undefined
  return {
    ...(name !== undefined && { summary: name.slice(0, TITLE_CHARS_MAX).toWellFormed() }),
    parameters: [...pathParameters(path), ...otherParameters(parameters)],
    ...(body && { requestBody: { content: body } }),
    responses: responsesOf(responses),
  }
}

const pathParameters = (path: string): Json[] =>
  [...path.matchAll(/\{([^{}]*)\}/g)].map(([, name]) => ({ name, in: 'path', required: true, schema: {} }))

/** Types are not kept: the library guesses them of one example. */
function otherParameters(parameters: unknown): Json[] {
  const known = new Map<string, Json>()
  for (const parameter of listOf(parameters)) {
    if (!isObject(parameter) || typeof parameter.name !== 'string' || !PLACES.includes(parameter.in)) continue
    if (parameter.in === 'path') continue
    known.set(`${parameter.in} ${parameter.name}`, { name: parameter.name, in: parameter.in, schema: {} })
  }
  return [...known.values()]
}

/** RFC 6838, section 4.2. */
const MEDIA_TYPE = /^[a-z0-9][a-z0-9!#$&^_.+-]{0,126}\/[a-z0-9][a-z0-9!#$&^_.+-]{0,126}$/i

/** The media types of a body. A text of which nobody said what it is counts as any, and so does a variable in place of a type. */
function mediaTypesOf(body: unknown): Json | undefined {
  if (!isObject(body) || !isObject(body.content)) return undefined
  const types = Object.keys(body.content).map((type) =>
    type === 'text/plain' || !MEDIA_TYPE.test(type) ? '*/*' : type,
  )
  return types.length === 0 ? undefined : Object.fromEntries(types.map((type) => [type, {}]))
}

function responsesOf(responses: unknown): Json {
  const statuses = Object.keys(objectOf(responses)).filter((status) => /^[1-5]\d\d$/.test(status))
  const described = statuses.map((status) => [status, { description: '' }])
  return described.length > 0 ? Object.fromEntries(described) : { default: { description: '' } }
}
