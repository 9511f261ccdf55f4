/** Values that schemas of a document mostly take. */
import type { Random } from './random.ts'

export type Json = Readonly<Record<string, unknown>>

export const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
export const objectOf = (value: unknown): Json => (isObject(value) ? value : {})
export const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])

/** What an object of the document refers to, or itself. */
export function resolve(document: Json, given: unknown): Json {
  let value = objectOf(given)
  for (let hops = 0; typeof value.$ref === 'string' && hops < 20; hops++) {
    let found: unknown = document
    for (const part of value.$ref.slice(2).split('/'))
      found = objectOf(found)[decodeURIComponent(part).replaceAll('~1', '/').replaceAll('~0', '~')]
    value = objectOf(found)
  }
  return value
}

const DEPTH_MAX = 5
const LETTERS = 'abcdefghijklmnopqrstuvwxyz'
const OF_FORMAT: Readonly<Record<string, string>> = {
  date: '2024-02-29',
  'date-time': '2024-02-29T12:30:00Z',
  time: '12:30:00Z',
  uuid: '0f8fad5b-d9cb-469f-a165-70867728950e',
  ipv4: '10.0.0.1',
  ipv6: '2001:db8::1',
  email: 'a@example.org',
  uri: 'https://example.org/a',
}

export function sample(document: Json, given: unknown, random: Random, depth = 0): unknown {
  const schema = merged(document, resolve(document, given))
  if (Object.hasOwn(schema, 'const')) return schema.const
  if (Array.isArray(schema.enum) && schema.enum.length > 0) return random.pick(schema.enum)
  const alternatives = [...listOf(schema.oneOf), ...listOf(schema.anyOf)]
  if (alternatives.length > 0 && schema.properties === undefined)
    return depth > DEPTH_MAX ? {} : sample(document, random.pick(alternatives), random, depth + 1)
  const type = Array.isArray(schema.type) ? random.pick(schema.type) : schema.type
  if (type === 'integer' || type === 'number') return numberOf(schema, random)
  if (type === 'boolean') return random.chance(0.5)
  if (type === 'null') return null
  if (type === 'array') return arrayOf(document, schema, random, depth)
  if (type === 'string') return textOf(schema, random)
  return type === 'object' || schema.properties !== undefined
    ? memberedOf(document, schema, random, depth)
    : random.pick(['text', 7, true, { a: 1 }])
}

/** All of `allOf` as one schema. */
function merged(document: Json, schema: Json, depth = 0): Json {
  if (!Array.isArray(schema.allOf) || depth > DEPTH_MAX) return schema
  const { allOf, ...own } = schema
  const all = [...allOf.map((each) => merged(document, resolve(document, each), depth + 1)), own]
  return {
    ...Object.assign({}, ...all),
    properties: Object.assign({}, ...all.map(({ properties }) => objectOf(properties))),
    required: all.flatMap(({ required }) => listOf(required)),
    ...(all.every(({ type, properties }) => type === undefined && properties === undefined) && {
      properties: undefined,
    }),
  }
}

function numberOf({ minimum, maximum, type, multipleOf }: Json, random: Random): number {
  const least = typeof minimum === 'number' ? minimum : 1
  const most = typeof maximum === 'number' ? maximum : least + 100
  const value = least + random.below(Math.max(1, Math.min(most - least, 1000)))
  if (typeof multipleOf === 'number') return Math.ceil(value / multipleOf) * multipleOf
  return type === 'integer' ? Math.round(value) : value
}

function textOf({ format, minLength, maxLength }: Json, random: Random): string {
  const known = OF_FORMAT[String(format)]
  if (known !== undefined) return known
  const least = typeof minLength === 'number' ? Math.min(minLength, 300) : 0
  const most = typeof maxLength === 'number' ? Math.min(maxLength, least + 12) : least + 12
  return Array.from({ length: Math.max(least, 1, random.below(most + 1)) }, () => LETTERS[random.below(26)])
    .join('')
    .slice(0, Math.max(1, most))
}

function arrayOf(document: Json, schema: Json, random: Random, depth: number): unknown[] {
  const least = typeof schema.minItems === 'number' ? Math.min(schema.minItems, 20) : 0
  const length = depth > DEPTH_MAX ? least : Math.max(least, random.below(3))
  return Array.from({ length }, () => sample(document, schema.items, random, depth + 1))
}

function memberedOf(document: Json, schema: Json, random: Random, depth: number): Json {
  const properties = objectOf(schema.properties)
  const required = new Set(listOf(schema.required))
  const names = Object.keys(properties).filter(
    (name) => required.has(name) || (depth < DEPTH_MAX && random.chance(0.3)),
  )
  return Object.fromEntries(
    names
      .slice(0, 40)
      .map((name) => [
        name,
        depth > 2 * DEPTH_MAX ? null : sample(document, properties[name], random, depth + 1),
      ]),
  )
}
