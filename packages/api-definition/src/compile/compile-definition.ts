/** Compiles an API definition into its table, within its bounds. */
import { patternUses } from '../schema/patterns.ts'
import { type DefinitionTable, OPERATIONS_MAX, TABLE_BYTES_MAX, type TableOperation } from '../table.ts'
import { basePathsOf, swaggerBasePathsOf } from './base-paths.ts'
import { compileBody, compileSwaggerBody } from './compile-body.ts'
import { compileParameters, declaredParameters } from './compile-parameters.ts'
import { type IsPatternUsable, SchemaCompiler } from './compile-schemas.ts'
import { fitTable } from './fit-table.ts'
import { isObject, type Json, listOf, objectOf, resolved, textOf } from './references.ts'

/** Raised where a document cannot be a rule. The message is for whoever uploaded it, and quotes nothing of it. */
export class DefinitionNotCompiledError extends Error {
  override readonly name = 'DefinitionNotCompiledError'
}

export interface CompiledDefinition {
  /** The table as text, `TABLE_BYTES_MAX` bytes at most. */
  readonly table: string
  readonly operations: number
  /** What the table does not judge by, in words, each with how often. */
  readonly leftOut: readonly string[]
}

const METHODS = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace', 'query']

/**
 * Compiles documents of OpenAPI 3.x or Swagger 2 that were found valid into one table. Where several have an operation it is that of the
 * first. Throws `DefinitionNotCompiledError` where one is of another kind, where there is no operation or more than `OPERATIONS_MAX`, or
 * where the table is too large even without what is said of bodies.
 */
export function compileDefinition(...documents: readonly unknown[]): CompiledDefinition {
  const all = { schemas: [], leftOut: new Map<string, number>(), isPatternUsable: patternUses() }
  const compiled = documents.map((document) => compileDocument(document, all))
  const operations = withoutRepetitions(compiled.flatMap((one) => one.operations))
  if (operations.length === 0) throw new DefinitionNotCompiledError('The API definition has no operation.')
  if (operations.length > OPERATIONS_MAX)
    throw new DefinitionNotCompiledError(`The API definition has more than ${OPERATIONS_MAX} operations.`)
  const whole: DefinitionTable = {
    version: 1,
    operations,
    schemas: all.schemas,
    credentials: [...new Set(compiled.flatMap((one) => one.credentials))],
  }
  const { table, reduced } = fitTable(whole)
  if (table === undefined)
    throw new DefinitionNotCompiledError(
      `The paths and parameters of the API definition are more than ${TABLE_BYTES_MAX} bytes, compiled.`,
    )
  const leftOut = Array.from(all.leftOut, ([what, times]) => `${what} (${times})`)
  return { table, operations: operations.length, leftOut: [...reduced, ...leftOut] }
}

function compileDocument(
  document: unknown,
  all: Pick<SchemaCompiler, 'schemas' | 'leftOut'> & { readonly isPatternUsable: IsPatternUsable },
): Pick<DefinitionTable, 'operations' | 'credentials'> {
  if (!isObject(document)) throw new DefinitionNotCompiledError('The API definition is no object.')
  const isSwagger = document.swagger === '2.0'
  if (!(isSwagger || /^3\.\d/.test(textOf(document.openapi))))
    throw new DefinitionNotCompiledError('The API definition is neither OpenAPI 3 nor Swagger 2.0.')
  const isOlder = isSwagger || textOf(document.openapi).startsWith('3.0')
  const schemas = new SchemaCompiler(document, isOlder, all.isPatternUsable, all)
  const operations = Object.entries(objectOf(document.paths)).flatMap(([path, item]) =>
    operationsOf(document, path, resolved(document, item), { schemas, isSwagger }),
  )
  schemas.finish()
  return { operations, credentials: credentialsOf(document) }
}

/** Each path of a method belongs to the first operation that has it. */
function withoutRepetitions(operations: readonly TableOperation[]): TableOperation[] {
  const taken = new Set<string>()
  return operations.flatMap((operation) => {
    const paths = operation.paths.filter((path) => {
      const key = `${operation.method} ${path}`
      const isFree = !taken.has(key)
      taken.add(key)
      return isFree
    })
    return paths.length === 0 ? [] : [{ ...operation, paths }]
  })
}

interface Compiling {
  readonly schemas: SchemaCompiler
  readonly isSwagger: boolean
}

function operationsOf(
  document: Json,
  path: string,
  item: Json,
  { schemas, isSwagger }: Compiling,
): TableOperation[] {
  if (!path.startsWith('/')) return []
  const additional = Object.entries(objectOf(item.additionalOperations))
  const standard = METHODS.map((method) => [method.toUpperCase(), item[method]] as const)
  return [...standard, ...additional].flatMap(([method, given]) => {
    if (!isObject(given)) return []
    const declared = declaredParameters(document, item.parameters, given.parameters)
    const body = isSwagger
      ? compileSwaggerBody(declared, given.consumes ?? document.consumes, schemas)
      : compileBody(document, given.requestBody, schemas)
    const bases = isSwagger
      ? swaggerBasePathsOf(document)
      : basePathsOf(given.servers ?? item.servers ?? document.servers)
    return [
      {
        method,
        // What some write after a fragment or a query tells operations apart that are one to a server.
        paths: bases.map((base) => base + (path.split(/[?#]/, 1)[0] ?? '')),
        parameters: compileParameters(declared, schemas, isSwagger),
        ...(body && { body }),
      },
    ]
  })
}

/** Names under which schemes of security have a key in the query. */
function credentialsOf(document: Json): string[] {
  const schemes = objectOf(objectOf(document.components).securitySchemes)
  return Object.values({ ...schemes, ...objectOf(document.securityDefinitions) })
    .map((scheme) => resolved(document, scheme))
    .filter((scheme) => scheme.type === 'apiKey' && scheme.in === 'query')
    .flatMap((scheme) => listOf([scheme.name]).map(textOf))
}
