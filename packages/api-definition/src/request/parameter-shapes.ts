/** What kinds of values a schema of a parameter takes, because that decides how text is taken apart. */
import type { DefinitionTable, TableSchema } from '../table.ts'

export type Shape = 'text' | 'list' | 'object'

const DEPTH_MAX = 8
const SCHEMAS_MAX = 64

/** The shapes that a schema takes, lists and objects first; text where it says nothing. */
export function shapesOf(table: Pick<DefinitionTable, 'schemas'>, schema: TableSchema): readonly Shape[] {
  const shapes = new Set<Shape>()
  let seen = 0
  const visit = (given: TableSchema, depth: number): void => {
    if (typeof given === 'boolean' || depth > DEPTH_MAX || ++seen > SCHEMAS_MAX) return
    if (typeof given.$ref === 'number') visit(table.schemas[given.$ref] ?? true, depth + 1)
    for (const type of [given.type].flat()) {
      if (type === 'array') shapes.add('list')
      else if (type === 'object') shapes.add('object')
      else if (type !== undefined) shapes.add('text')
    }
    if (given.type === undefined && given.properties !== undefined) shapes.add('object')
    for (const list of [given.allOf, given.anyOf, given.oneOf])
      if (Array.isArray(list)) for (const each of list) visit(each as TableSchema, depth + 1)
  }
  visit(schema, 0)
  if (shapes.size === 0) shapes.add('text')
  return (['list', 'object', 'text'] as const).filter((shape) => shapes.has(shape))
}

const NARROW_TYPES: ReadonlySet<unknown> = new Set(['integer', 'number', 'boolean', 'null'])
const NARROW_FORMATS: ReadonlySet<unknown> = new Set(['uuid', 'date', 'date-time', 'time', 'int32', 'int64'])

/** Whether a schema takes numbers, booleans, UUIDs or dates alone. */
export function isNarrow({ schemas }: Pick<DefinitionTable, 'schemas'>, schema: TableSchema): boolean {
  let given = schema
  for (let hops = 0; hops < DEPTH_MAX && typeof given === 'object' && typeof given.$ref === 'number'; hops++)
    given = schemas[given.$ref] ?? true
  if (typeof given === 'boolean' || given.type === undefined) return false
  const { type, format } = given
  return [type]
    .flat()
    .every((one) => NARROW_TYPES.has(one) || (one === 'string' && NARROW_FORMATS.has(format)))
}

/** What an object is declared to have. */
export interface DeclaredMembers {
  readonly names: ReadonlySet<string>
  /** Those that every alternative asks for. */
  readonly required: ReadonlySet<string>
  /** Whether it may have others. */
  readonly isOpen: boolean
}

export function membersOf(table: Pick<DefinitionTable, 'schemas'>, schema: TableSchema): DeclaredMembers {
  const names = new Set<string>()
  const required = new Set<string>()
  let isOpen = true
  let seen = 0
  const visit = (given: TableSchema, depth: number, isAlternative: boolean): void => {
    if (typeof given === 'boolean' || depth > DEPTH_MAX || ++seen > SCHEMAS_MAX) return
    if (typeof given.$ref === 'number') visit(table.schemas[given.$ref] ?? true, depth + 1, isAlternative)
    if (typeof given.properties === 'object' && given.properties !== null)
      for (const name of Object.keys(given.properties)) names.add(name)
    if (!isAlternative && Array.isArray(given.required))
      for (const name of given.required) required.add(String(name))
    if (given.additionalProperties === false && given.patternProperties === undefined) isOpen = false
    for (const keyword of ['allOf', 'anyOf', 'oneOf'] as const) {
      const list = given[keyword]
      // The table's own shape: what is no schema there was never put there.
      if (Array.isArray(list))
        for (const each of list) visit(each as TableSchema, depth + 1, isAlternative || keyword !== 'allOf')
    }
  }
  visit(schema, 0, false)
  return { names, required, isOpen }
}
