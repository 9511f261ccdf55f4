/** What schemas say of objects. */
import type { TableSchema, TableSchemaObject } from '../table.ts'
import { isSchema } from './schema-parts.ts'
import type { ValueJudge } from './value-judge.ts'

/** How many names are listed for one step, as a power of two. */
const NAMES_PER_STEP_BITS = 4

type Value = Readonly<Record<string, unknown>>

export function judgeObject(judging: ValueJudge, schema: TableSchemaObject, value: Value): boolean {
  const names = Object.keys(value)
  judging.spend(names.length >> NAMES_PER_STEP_BITS)
  const { minProperties, maxProperties } = schema
  if (typeof minProperties === 'number' && names.length < minProperties)
    return judging.refuse('has too few members')
  if (typeof maxProperties === 'number' && names.length > maxProperties)
    return judging.refuse('has too many members')
  return (
    judgeRequired(judging, schema.required, value) &&
    judgeMembers(judging, schema, value, names) &&
    judgeDependent(judging, schema, value, names)
  )
}

function judgeRequired(judging: ValueJudge, required: unknown, value: Value): boolean {
  if (!Array.isArray(required)) return true
  judging.spend(required.length >> 4)
  for (const name of required)
    if (typeof name === 'string' && !Object.hasOwn(value, name))
      return judging.refuse(`has no member ${name.slice(0, 64)}`)
  return true
}

function judgeMembers(
  judging: ValueJudge,
  schema: TableSchemaObject,
  value: Value,
  names: readonly string[],
): boolean {
  const properties = schemasOf(schema.properties)
  // Each is a step below, where there is a name to look at.
  const patterns = names.length === 0 ? [] : Object.entries(schemasOf(schema.patternProperties))
  const others = isSchema(schema.additionalProperties) ? schema.additionalProperties : true
  const naming = schema.propertyNames
  for (const name of names) {
    judging.spend(1)
    if (isSchema(naming) && !judging.tries(naming, name))
      return judging.refuse('has a member of another name')
    let isKnown = false
    const property = Object.hasOwn(properties, name) ? properties[name] : undefined
    if (property !== undefined) {
      isKnown = true
      if (!judging.judgeAt(name, property, value[name])) return false
    }
    for (const [pattern, ofPattern] of patterns) {
      if (judging.patterns.test(pattern, name, judging.spend) === false) continue
      isKnown = true
      if (!judging.judgeAt(name, ofPattern, value[name])) return false
    }
    if (isKnown || others === true) continue
    if (others === false) return judging.refuse('has a member that is not declared')
    if (!judging.judgeAt(name, others, value[name])) return false
  }
  return true
}

/** By the names that are there: a schema may have thousands that are not. */
function judgeDependent(
  judging: ValueJudge,
  schema: TableSchemaObject,
  value: Value,
  names: readonly string[],
): boolean {
  const required = recordOf(schema.dependentRequired)
  const schemas = schemasOf(schema.dependentSchemas)
  if (required === NONE && schemas === NONE) return true
  for (const name of names) {
    if (Object.hasOwn(required, name) && !judgeRequired(judging, required[name], value)) return false
    const ofAll = Object.hasOwn(schemas, name) ? schemas[name] : undefined
    if (ofAll !== undefined && !judging.judge(ofAll, value)) return false
  }
  return true
}

const NONE: Readonly<Record<string, never>> = {}
const recordOf = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : NONE
/** The table's own shape: what is no schema there was never put there. */
const schemasOf = (value: unknown): Readonly<Record<string, TableSchema>> =>
  recordOf(value) as Readonly<Record<string, TableSchema>>
