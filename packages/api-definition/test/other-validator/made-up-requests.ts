/** Requests of a documented API: as documented, and with something changed. */
import type { Random } from './random.ts'
import { isObject, type Json, listOf, objectOf, resolve, sample } from './sample.ts'

export interface DocumentedOperation {
  readonly method: string
  /** Without the base path. */
  readonly path: string
  readonly base: string
  readonly parameters: readonly Json[]
  /** Undefined where it has no body. */
  readonly body: DocumentedBody | undefined
}

export interface DocumentedBody {
  readonly mediaType: typeof JSON_BODY | typeof FORM_BODY
  readonly schema: unknown
  readonly isRequired: boolean
}

export const JSON_BODY = 'application/json'
export const FORM_BODY = 'application/x-www-form-urlencoded'

export interface MadeUpRequest {
  readonly operation: DocumentedOperation
  readonly method: string
  /** Each segment escaped. */
  readonly path: string
  readonly query: string
  readonly headers: readonly (readonly [name: string, value: string])[]
  /** JSON text, or a form. */
  readonly body: string | undefined
  /** What was changed, for who looks at a difference. */
  readonly change: string
}

const METHODS = ['get', 'put', 'post', 'delete', 'patch'] as const

/** Operations that both validators are asked about: what one of them has no notion of is left out, and counted. */
export function operationsOf(document: Json): { asked: DocumentedOperation[]; leftOut: number } {
  const asked: DocumentedOperation[] = []
  let leftOut = 0
  for (const [path, given] of Object.entries(objectOf(document.paths))) {
    const item = resolve(document, given)
    for (const method of METHODS) {
      const operation = item[method]
      if (!isObject(operation)) continue
      const all = [...listOf(item.parameters), ...listOf(operation.parameters)].map((one) =>
        resolve(document, one),
      )
      const parameters = [...new Map(all.map((one) => [`${one.in} ${one.name}`, one])).values()]
      const body = bodyIn(document, operation.requestBody)
      if (
        parameters.some((one) => !isComparable(document, one)) ||
        (operation.requestBody && !body) ||
        /[#?]/.test(path)
      )
        leftOut++
      else
        asked.push({
          method: method.toUpperCase(),
          path,
          base: basePathOf(operation.servers ?? item.servers ?? document.servers),
          parameters,
          body,
        })
    }
  }
  return { asked, leftOut }
}

function bodyIn(document: Json, requestBody: unknown): DocumentedBody | undefined {
  const { content, required } = resolve(document, requestBody)
  const types = objectOf(content)
  const mediaType = [JSON_BODY, FORM_BODY].find((type) => types[type] !== undefined) as
    | DocumentedBody['mediaType']
    | undefined
  if (mediaType === undefined) return undefined
  const { schema } = objectOf(types[mediaType])
  if (mediaType === FORM_BODY && !isFlat(document, schema)) return undefined
  return { mediaType, schema, isRequired: required === true }
}

/** The other validator is handed forms whose fields are texts, or lists of them. */
function isFlat(document: Json, given: unknown): boolean {
  const { type, properties, ...others } = resolve(document, given)
  if (type !== 'object' || COMBINED.some((keyword) => others[keyword] !== undefined)) return false
  return Object.values(objectOf(properties)).every((property) => {
    const schema = resolve(document, property)
    const field = schema.type === 'array' ? resolve(document, schema.items) : schema
    return (
      ['string', 'integer', 'number', 'boolean'].includes(String(field.type)) &&
      [schema, field].every((one) => COMBINED.every((keyword) => one[keyword] === undefined))
    )
  })
}
const COMBINED = ['oneOf', 'anyOf', 'allOf', 'not'] as const

const basePathOf = (servers: unknown): string =>
  (URL.parse(String(objectOf(listOf(servers)[0]).url ?? ''), 'https://a.invalid')?.pathname ?? '').replace(
    /\/$/,
    '',
  )

/** The other validator takes lists apart in queries alone, and objects nowhere. */
function isComparable(document: Json, parameter: Json): boolean {
  const schema = resolve(document, parameter.schema)
  const types = [schema.type].flat()
  if (parameter.content !== undefined || parameter.schema === undefined) return false
  if (
    types.includes('object') ||
    schema.properties !== undefined ||
    schema.additionalProperties !== undefined
  )
    return false
  if (['oneOf', 'anyOf', 'allOf', 'not'].some((keyword) => schema[keyword] !== undefined)) return false
  if (types.includes('array')) {
    const items = resolve(document, schema.items)
    return parameter.in === 'query' && ['string', 'integer', 'number', 'boolean'].includes(String(items.type))
  }
  return parameter.in !== 'cookie' && types[0] !== undefined
}

/** What is sent for a parameter instead of what is declared. */
const TEXTS = [
  '',
  'x',
  "1'",
  '1',
  '-1',
  '0',
  '01',
  '1.0',
  '1.5',
  '1e3',
  '9223372036854775808',
  '2147483648',
  'true',
  'TRUE',
  'false',
  'null',
  '2024-02-29',
  '2023-02-29',
  '2024-02-29T12:30:00Z',
  '2024-02-29T25:30:00Z',
  '0f8fad5b-d9cb-469f-a165-70867728950e',
  '0f8fad5b-d9cb-469f-a165-7086772895',
  'a,b',
  'é',
  'x'.repeat(300),
  '1 or 1=1',
  '<b>',
]
const VALUES: readonly unknown[] = [
  null,
  true,
  false,
  0,
  1,
  -1,
  1.5,
  0.1,
  1e21,
  2147483648,
  '',
  'x',
  "1'",
  '1',
  'true',
  '2024-02-29',
  '2023-02-29',
  '2024-02-29T12:30:00Z',
  '2024-02-29T12:30',
  '0f8fad5b-d9cb-469f-a165-70867728950e',
  [],
  [1, 1],
  ['a'],
  {},
  { a: 1 },
  'x'.repeat(300),
  '😀',
  'é'.repeat(3),
]

export function makeRequest(document: Json, operation: DocumentedOperation, random: Random): MadeUpRequest {
  const changes: string[] = []
  const changed = (share: number, what: string): boolean => {
    const is = random.chance(share)
    if (is) changes.push(what)
    return is
  }
  let path = operation.path
  const pairs: [string, string][] = []
  const headers: [string, string][] = []
  for (const parameter of operation.parameters) {
    const name = String(parameter.name)
    const isSent =
      parameter.in === 'path' ||
      (parameter.required === true ? !changed(0.05, `${name} dropped`) : random.chance(0.4))
    if (!isSent) {
      continue
    }
    const value = changed(0.25, `${name} exchanged`)
      ? random.pick(TEXTS)
      : sample(document, parameter.schema, random)
    if (parameter.in === 'path') {
      const text = String(value).replaceAll('/', '-')
      path = path.replace(`{${name}}`, () =>
        encodeURIComponent(text === '' || /^\.+$/.test(text) ? 'x' : text),
      )
    } else if (parameter.in === 'header') headers.push([name, String(value).replace(/[^ -~]/g, '')])
    else pairs.push(...pairsOf(parameter, value))
  }
  if (changed(0.05, 'a parameter more')) pairs.push(['sp_unknown', '1'])
  if (pairs.length > 0 && changed(0.03, 'a parameter twice')) pairs.push(random.pick(pairs))
  const body = operation.body && bodyOf(document, operation.body, random, changed)
  if (body !== undefined) headers.push(['content-type', operation.body?.mediaType ?? ''])
  const query = pairs.map((pair) => pair.map(encodeURIComponent).join('=')).join('&')
  return { operation, method: operation.method, path, query, headers, body, change: changes.join(', ') }
}

function pairsOf(parameter: Json, value: unknown): [string, string][] {
  const name = String(parameter.name)
  if (!Array.isArray(value)) return [[name, String(value)]]
  const explode = parameter.explode ?? (parameter.style === undefined || parameter.style === 'form')
  if (explode) return value.map((item) => [name, String(item)])
  const separator =
    parameter.style === 'pipeDelimited' ? '|' : parameter.style === 'spaceDelimited' ? ' ' : ','
  return value.length === 0 ? [] : [[name, value.join(separator)]]
}

type Changed = (share: number, what: string) => boolean

function bodyOf(
  document: Json,
  { schema, mediaType }: DocumentedBody,
  random: Random,
  changed: Changed,
): string | undefined {
  if (changed(0.03, 'body dropped')) return undefined
  let value = sample(document, schema, random)
  if (mediaType === FORM_BODY) return formOf(objectOf(value), random, changed)
  while (changed(0.5, 'body changed')) value = withChange(value, random)
  return JSON.stringify(value)
}

/** A form of these fields, some of them exchanged, left out, sent twice or added. */
function formOf(value: Json, random: Random, changed: Changed): string {
  let fields = Object.entries(value).flatMap(([name, field]) =>
    [field].flat().map((text) => [name, String(text)] as const),
  )
  while (changed(0.4, 'form changed')) {
    const [name, text] = random.pick(fields.length > 0 ? fields : [['name', 'x'] as const])
    const others = fields.filter(([each]) => each !== name)
    const changes = [
      () => [...others, [name, random.pick(TEXTS)] as const],
      () => [...others, [name, random.pick(TEXTS)] as const],
      () => others,
      () => [...fields, [name, random.pick([text, ...TEXTS])] as const],
      () => [...fields, ['sp_unknown', random.pick(TEXTS)] as const],
    ]
    fields = random.pick(changes)()
  }
  // As browsers write forms: spaces are plus signs.
  return new URLSearchParams(fields.map((field) => [...field])).toString()
}

/** The value with something in it exchanged, left out or added. */
function withChange(value: unknown, random: Random): unknown {
  const inside = typeof value === 'object' && value !== null ? Object.keys(value) : []
  if (inside.length === 0 || random.chance(0.2)) return random.pick(VALUES)
  const name = random.pick(inside)
  if (Array.isArray(value)) {
    if (random.chance(0.2)) return [...value, random.pick([...value, ...VALUES])]
    return value.map((item, index) => (String(index) === name ? withChange(item, random) : item))
  }
  const members = objectOf(value)
  if (random.chance(0.15))
    return Object.fromEntries(Object.entries(members).filter(([each]) => each !== name))
  if (random.chance(0.15)) return { ...members, sp_unknown: random.pick(VALUES) }
  return { ...members, [name]: withChange(members[name], random) }
}
