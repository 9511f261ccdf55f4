/**
 * Judges values by schemas. A schema is interpreted and never made code of. Both the schema and the value may be hostile: each look at
 * a schema is a step of a budget, and where that is used up, or the two nest too deep together, nothing is said of the value.
 */
import type { TableSchema, TableSchemaObject } from '../table.ts'
import { judgeArray } from './judge-array.ts'
import { judgeNumber, judgeText } from './judge-leaf.ts'
import { judgeObject } from './judge-object.ts'
import type { Patterns } from './patterns.ts'
import { isSchema, schemaList } from './schema-parts.ts'
import type { ValueJudge } from './value-judge.ts'
import { isSame, SentText, typeOf } from './values.ts'

/** Where a value breaks its schema, and how. */
export interface Breach {
  /** `items[3].name`; empty for the value itself. */
  readonly at: string
  /** For people: `is not of type integer`. */
  readonly message: string
}

/** Raised where a value could not be judged within its bounds. */
export class NotJudgedError extends Error {
  override readonly name = 'NotJudgedError'
}

const DEPTH_MAX = 200
const AT_CHARS_MAX = 200
const NONE: readonly TableSchema[] = []
/** How many schemas are listed for one step, as a power of two. */
const SCHEMAS_PER_STEP_BITS = 4

/** One judging: what it may still cost, where it is, and what it has found. */
export class ValueJudging implements ValueJudge {
  readonly #schemas: readonly TableSchema[]
  readonly patterns: Patterns
  #steps: number
  #depth = 0
  /** Where there is an alternative, a breach is none yet. */
  #alternatives = 0
  readonly #path: (string | number)[] = []
  breach: Breach | undefined

  constructor(schemas: readonly TableSchema[], patterns: Patterns, steps: number) {
    this.#schemas = schemas
    this.patterns = patterns
    this.#steps = steps
  }

  /** Steps that are left. */
  get steps(): number {
    return this.#steps
  }

  readonly spend = (steps: number): void => {
    this.#steps -= steps
    if (this.#steps < 0) throw new NotJudgedError('too much to judge')
  }

  refuse(message: string): false {
    if (this.#alternatives === 0) this.breach ??= { at: pathText(this.#path), message }
    return false
  }

  judgeAt(step: string | number, schema: TableSchema, value: unknown): boolean {
    this.#path.push(step)
    const isValid = this.judge(schema, value)
    this.#path.pop()
    return isValid
  }

  tries(schema: TableSchema, value: unknown): boolean {
    this.#alternatives++
    try {
      return this.judge(schema, value)
    } finally {
      this.#alternatives--
    }
  }

  judge(schema: TableSchema, value: unknown): boolean {
    this.spend(1)
    if (schema === true) return true
    if (schema === false) return this.refuse('is not allowed')
    if (++this.#depth > DEPTH_MAX) throw new NotJudgedError('nested too deep')
    const isValid = value instanceof SentText ? this.#judgeSent(schema, value) : this.#judgeBy(schema, value)
    this.#depth--
    return isValid
  }

  /** Text is valid where anything that it may be read as is. */
  #judgeSent(schema: TableSchemaObject, sent: SentText): boolean {
    const readings = sent.readings()
    if (readings.length > 1 && readings.some((reading) => this.tries(schema, reading))) return true
    const last = readings.at(-1)
    return this.judge(schema, last === null ? '' : last)
  }

  #judgeBy(schema: TableSchemaObject, value: unknown): boolean {
    const { $ref } = schema
    if (typeof $ref === 'number') return this.judge(this.#schemas[$ref] ?? true, value)
    return (
      this.#judgeType(schema, value) &&
      this.#judgeValues(schema, value) &&
      this.#judgeKind(schema, value) &&
      this.#judgeCombined(schema, value)
    )
  }

  #judgeType({ type }: TableSchemaObject, value: unknown): boolean {
    if (type === undefined) return true
    const own = typeOf(value)
    const isOfType = (name: unknown): boolean =>
      name === own || (name === 'integer' && own === 'number' && Number.isInteger(value))
    if (Array.isArray(type) ? type.some(isOfType) : isOfType(type)) return true
    return this.refuse(`is not of type ${[type].flat().join(' or ')}`.slice(0, AT_CHARS_MAX))
  }

  #judgeValues(schema: TableSchemaObject, value: unknown): boolean {
    const values = schema.enum
    if (Array.isArray(values) && !values.some((one) => isSame(one, value, this.spend)))
      return this.refuse('is none of the declared values')
    if (Object.hasOwn(schema, 'const') && !isSame(schema.const, value, this.spend))
      return this.refuse('is not the declared value')
    return true
  }

  #judgeKind(schema: TableSchemaObject, value: unknown): boolean {
    if (typeof value === 'string') return judgeText(this, schema, value)
    if (typeof value === 'number') return judgeNumber(this, schema, value)
    if (Array.isArray(value)) return judgeArray(this, schema, value)
    // What is left of JSON has names.
    if (typeof value === 'object' && value !== null)
      return judgeObject(this, schema, value as Readonly<Record<string, unknown>>)
    return true
  }

  #judgeCombined(schema: TableSchemaObject, value: unknown): boolean {
    const { allOf, anyOf, oneOf, not } = schema
    for (const each of this.#listOf(allOf)) if (!this.judge(each, value)) return false
    if (anyOf !== undefined && !this.#listOf(anyOf).some((each) => this.tries(each, value)))
      return this.refuse('is as none of the declared alternatives')
    if (oneOf !== undefined && !this.#isOfOne(this.#listOf(oneOf), value)) return false
    if (isSchema(not) && this.tries(not, value)) return this.refuse('is what it is declared not to be')
    return this.#judgeIf(schema, value)
  }

  /** To list alternatives costs as well, also those that are not looked at then. */
  #listOf(value: unknown): readonly TableSchema[] {
    if (value === undefined) return NONE
    const list = schemaList(value)
    this.spend(list.length >> SCHEMAS_PER_STEP_BITS)
    return list
  }

  #isOfOne(alternatives: readonly TableSchema[], value: unknown): boolean {
    let valid = 0
    for (const each of alternatives) if (this.tries(each, value) && ++valid > 1) break
    if (valid === 1) return true
    return this.refuse(
      valid === 0 ? 'is as none of the declared alternatives' : 'is as several of the declared alternatives',
    )
  }

  #judgeIf(schema: TableSchemaObject, value: unknown): boolean {
    if (!isSchema(schema.if)) return true
    const branch = this.tries(schema.if, value) ? schema.then : schema.else
    return !isSchema(branch) || this.judge(branch, value)
  }
}

function pathText(path: readonly (string | number)[]): string {
  let text = ''
  for (const step of path) {
    text += typeof step === 'number' ? `[${step}]` : `${text === '' ? '' : '.'}${step.slice(0, 64)}`
    if (text.length > AT_CHARS_MAX) break
  }
  return text.slice(0, AT_CHARS_MAX)
}
