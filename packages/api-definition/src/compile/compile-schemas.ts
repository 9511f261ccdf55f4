/**
 * Schemas of OpenAPI 3.0, Swagger 2 and JSON Schema 2020-12 as those of the table: what does not judge is left out, the older ways to
 * say something become the newer, and what several places refer to stands once, so that a cycle is a reference as any other.
 */
import type { TableSchema } from '../table.ts'
import { findReferenced, isObject, type Json, listOf, objectOf } from './references.ts'

/** Of a schema that holds itself without a reference there can be none; this bounds what a document nests. */
const DEPTH_MAX = 64

const PLAIN = new Set(
  'enum const multipleOf maximum minimum maxLength minLength maxItems minItems uniqueItems minContains maxContains required minProperties maxProperties dependentRequired'.split(
    ' ',
  ),
)
const OF_ONE = new Set(
  'contains additionalProperties propertyNames not if then else items additionalItems'.split(' '),
)
const OF_LIST = new Set(['allOf', 'anyOf', 'oneOf', 'prefixItems'])
const OF_NAMES = new Set(['properties', 'patternProperties', 'dependentSchemas'])
/** Keywords that are not judged by, and that would refuse something. */
const UNJUDGED = new Set(['unevaluatedProperties', 'unevaluatedItems', '$dynamicRef', '$recursiveRef'])
const FORMATS = new Set(['date', 'date-time', 'time', 'uuid', 'ipv4', 'ipv6', 'int32', 'int64'])

/** Which patterns can be used. */
export type IsPatternUsable = (pattern: string) => boolean

export class SchemaCompiler {
  readonly #document: Json
  /** Of OpenAPI 3.0 and Swagger 2: beside a reference nothing counts. */
  readonly #isOlder: boolean
  readonly #isPatternUsable: IsPatternUsable
  readonly #waiting: (readonly [index: number, schema: unknown])[] = []
  readonly #indexes = new Map<string, number>()
  readonly schemas: TableSchema[]
  /** Keywords that are not judged by, and patterns that are not, by how often. */
  readonly leftOut: Map<string, number>

  /** Compiles the schemas of a document, after those that are there of others. */
  constructor(
    document: Json,
    isOlder: boolean,
    isPatternUsable: IsPatternUsable,
    { schemas, leftOut }: Pick<SchemaCompiler, 'schemas' | 'leftOut'>,
  ) {
    this.#document = document
    this.#isOlder = isOlder
    this.#isPatternUsable = isPatternUsable
    this.schemas = schemas
    this.leftOut = leftOut
  }

  /** Compiles what was referred to so far. */
  finish(): void {
    for (let next = this.#waiting.pop(); next; next = this.#waiting.pop()) {
      const [index, schema] = next
      this.schemas[index] = this.compile(schema)
    }
  }

  compile(given: unknown, depth = 0): TableSchema {
    if (typeof given === 'boolean') return given
    if (!isObject(given)) return true
    if (depth > DEPTH_MAX) return this.#leave('schemas nested too deep')
    if (typeof given.$ref !== 'string') return this.#compileObject(given, depth)
    const reference = this.#reference(given.$ref)
    const { $ref: _, ...beside } = given
    if (this.#isOlder || Object.keys(beside).length === 0) return reference
    const rest = this.#compileObject(beside, depth)
    return rest === true ? reference : { allOf: [reference, rest] }
  }

  #leave(what: string): true {
    this.leftOut.set(what, (this.leftOut.get(what) ?? 0) + 1)
    return true
  }

  #reference(reference: string): TableSchema {
    const known = this.#indexes.get(reference)
    if (known !== undefined) return { $ref: known }
    const found = findReferenced(this.#document, reference)
    if (found === undefined) return this.#leave('references to elsewhere')
    const index = this.schemas.push(true) - 1
    this.#indexes.set(reference, index)
    // Compiled later: it may hold itself, and references in a row may be as many as the document has room for.
    this.#waiting.push([index, found])
    return { $ref: index }
  }

  #compileObject(given: Json, depth: number): TableSchema {
    const out: Record<string, unknown> = {}
    const sub = (value: unknown): TableSchema => this.compile(value, depth + 1)
    for (const [keyword, value] of Object.entries(given)) {
      if (PLAIN.has(keyword)) out[keyword] = value
      else if (OF_LIST.has(keyword)) out[keyword] = listOf(value).map(sub)
      else if (OF_NAMES.has(keyword)) out[keyword] = mapped(objectOf(value), sub)
      else if (OF_ONE.has(keyword) && !Array.isArray(value)) out[keyword] = sub(value)
      else if (UNJUDGED.has(keyword)) this.#leave(keyword)
    }
    this.#addType(out, given)
    this.#addBounds(out, given)
    this.#addTexts(out, given)
    this.#addLists(out, given, sub)
    if (isObject(out.properties)) withoutReadOnly(out, objectOf(given.properties), this.#document)
    return Object.keys(out).length === 0 ? true : out
  }

  #addType(out: Record<string, unknown>, { type, nullable, 'x-nullable': xNullable }: Json): void {
    const types = [type].flat().filter((one) => typeof one === 'string' && one !== 'file')
    if (types.length === 0) return
    if ((nullable === true || xNullable === true) && this.#isOlder) types.push('null')
    out.type = types.length === 1 ? types[0] : [...new Set(types)]
  }

  /** Where `exclusiveMinimum` is a boolean, it says how `minimum` is meant. */
  #addBounds(out: Record<string, unknown>, given: Json): void {
    for (const [bound, exclusive] of [
      ['minimum', 'exclusiveMinimum'],
      ['maximum', 'exclusiveMaximum'],
    ] as const) {
      if (typeof given[exclusive] === 'number') out[exclusive] = given[exclusive]
      else if (given[exclusive] === true && typeof given[bound] === 'number') {
        out[exclusive] = given[bound]
        delete out[bound]
      }
    }
  }

  #addTexts(out: Record<string, unknown>, { pattern, format, patternProperties }: Json): void {
    if (typeof format === 'string' && FORMATS.has(format)) out.format = format
    if (typeof pattern === 'string') {
      if (this.#isPatternUsable(pattern)) out.pattern = pattern
      else this.#leave('patterns')
    }
    // A name that an unusable pattern may be about passes as anything.
    if (Object.keys(objectOf(patternProperties)).every(this.#isPatternUsable)) return
    this.#leave('patternProperties')
    delete out.patternProperties
    delete out.additionalProperties
  }

  /** `items` as a list is what `prefixItems` is now. */
  #addLists(out: Record<string, unknown>, { items }: Json, sub: (value: unknown) => TableSchema): void {
    const { additionalItems } = out
    delete out.additionalItems
    if (!Array.isArray(items)) return
    out.prefixItems = items.map(sub)
    if (additionalItems !== undefined) out.items = additionalItems
  }
}

const mapped = (names: Json, sub: (value: unknown) => TableSchema): Json =>
  Object.fromEntries(Object.entries(names).map(([name, value]) => [name, sub(value)]))

/** What is `readOnly` is required of answers alone. */
function withoutReadOnly(out: Record<string, unknown>, properties: Json, document: Json): void {
  const isReadOnly = (name: unknown): boolean => {
    const own = objectOf(Object.hasOwn(properties, String(name)) ? properties[String(name)] : undefined)
    if (own.readOnly === true) return true
    return typeof own.$ref === 'string' && objectOf(findReferenced(document, own.$ref)).readOnly === true
  }
  if (!Array.isArray(out.required)) return
  out.required = out.required.filter((name) => !isReadOnly(name))
}
