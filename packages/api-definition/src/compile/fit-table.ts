/** Makes a table small enough: what is said of bodies goes first, then what is said of parameters beyond their types. */
import {
  type DefinitionTable,
  TABLE_BYTES_MAX,
  type TableOperation,
  type TableSchema,
  type TableSchemaObject,
} from '../table.ts'

interface FittedTable {
  /** Undefined where even the least is too large. */
  readonly table: string | undefined
  /** What was left out for it, in words. */
  readonly reduced: readonly string[]
}

export function fitTable(whole: DefinitionTable): FittedTable {
  const used = withUsedSchemas(whole)
  const first = textWithin(used)
  if (first) return { table: first, reduced: [] }
  const withoutBodies = withUsedSchemas({ ...used, operations: used.operations.map(withoutBodySchemas) })
  const second = textWithin(withoutBodies)
  if (second) return { table: second, reduced: ['schemas of bodies: the table would be too large'] }
  const operations = withoutBodies.operations.map((operation) =>
    withPlainParameters(operation, withoutBodies),
  )
  const third = textWithin({ ...withoutBodies, operations, schemas: [] })
  const reduced = ['schemas of bodies', 'schemas of parameters beyond their types']
  return { table: third, reduced: reduced.map((what) => `${what}: the table would be too large`) }
}

function textWithin(table: DefinitionTable): string | undefined {
  const text = JSON.stringify(table)
  return Buffer.byteLength(text) <= TABLE_BYTES_MAX ? text : undefined
}

const withoutBodySchemas = (operation: TableOperation): TableOperation =>
  operation.body
    ? { ...operation, body: { ...operation.body, content: everything(operation.body.content) } }
    : operation

const everything = (content: Readonly<Record<string, TableSchema>>): Readonly<Record<string, TableSchema>> =>
  Object.fromEntries(Object.keys(content).map((type) => [type, true]))

/** Types and formats stay, also of what a parameter refers to; in lists and unions nothing does. */
function withPlainParameters(operation: TableOperation, { schemas }: DefinitionTable): TableOperation {
  const plain = (schema: TableSchema): TableSchema => {
    if (typeof schema === 'boolean') return schema
    if (typeof schema.$ref === 'number') {
      const referred = schemas[schema.$ref] ?? true
      return typeof referred !== 'boolean' && typeof referred.$ref === 'number' ? true : plain(referred)
    }
    const { type, format } = schema
    return { ...(type !== undefined && { type }), ...(format !== undefined && { format }) }
  }
  const parameters = operation.parameters.map((one) => ({ ...one, schema: plain(one.schema) }))
  return { ...operation, parameters }
}

/** Without the schemas that nothing refers to, and with those of answers gone, which are never compiled. */
function withUsedSchemas(table: DefinitionTable): DefinitionTable {
  const indexes = new Map<number, number>()
  const waiting: number[] = []
  /** @param isNames whether the keys are names that the API gives, and no keywords */
  const renumber = (value: unknown, isNames = false): unknown => {
    if (Array.isArray(value)) return value.map((item) => renumber(item))
    if (typeof value !== 'object' || value === null) return value
    const entries = Object.entries(value).map(([key, child]): [string, unknown] => {
      if (isNames) return [key, renumber(child)]
      if (VALUES.has(key)) return [key, child]
      if (key === '$ref' && typeof child === 'number') return [key, newIndex(child)]
      return [key, renumber(child, NAMES.has(key))]
    })
    return Object.fromEntries(entries)
  }
  const newIndex = (index: number): number => {
    const known = indexes.get(index)
    if (known !== undefined) return known
    indexes.set(index, waiting.length)
    waiting.push(index)
    return indexes.size - 1
  }
  const renumbered = (schema: TableSchema): TableSchema => renumber(schema) as boolean | TableSchemaObject
  const operations = table.operations.map((operation) => ({
    ...operation,
    parameters: operation.parameters.map((one) => ({ ...one, schema: renumbered(one.schema) })),
    ...(operation.body && {
      body: {
        ...operation.body,
        content: Object.fromEntries(
          Object.entries(operation.body.content).map(([type, schema]) => [type, renumbered(schema)]),
        ),
      },
    }),
  }))
  const schemas: TableSchema[] = []
  // The list grows while it is walked.
  for (const index of waiting) schemas.push(renumbered(table.schemas[index] ?? true))
  return { ...table, operations, schemas }
}

/** Keywords that hold values and no schemas. */
const VALUES: ReadonlySet<string> = new Set(['enum', 'const'])
/** Those whose members are names. */
const NAMES: ReadonlySet<string> = new Set([
  'properties',
  'patternProperties',
  'dependentSchemas',
  'dependentRequired',
])
