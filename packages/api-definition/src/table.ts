/**
 * The table of operations that an API definition is compiled into: plain data, so that it can be stored, sent to gateways as text and
 * read there. Schemas are those of JSON Schema 2020-12, without what does not judge; `$ref` is an index of `schemas`.
 */

/** A schema, or what it says of everything. */
export type TableSchema = boolean | TableSchemaObject
export interface TableSchemaObject {
  readonly [keyword: string]: unknown
}

export const PARAMETER_PLACES = ['path', 'query', 'header', 'cookie'] as const
export type ParameterPlace = (typeof PARAMETER_PLACES)[number]

/** How a value that is no text is written (OpenAPI 3.1, "Style Values"); `tabDelimited` is Swagger 2's `tsv`. */
export type ParameterStyle =
  | 'form'
  | 'simple'
  | 'label'
  | 'matrix'
  | 'spaceDelimited'
  | 'pipeDelimited'
  | 'tabDelimited'
  | 'deepObject'
  | 'json'

export interface TableParameter {
  readonly in: ParameterPlace
  readonly name: string
  readonly style: ParameterStyle
  readonly explode: boolean
  readonly required?: true
  /** An empty value passes, whatever the schema says. */
  readonly mayBeEmpty?: true
  readonly schema: TableSchema
}

export interface TableBody {
  readonly required?: true
  /** By media type or range, lower case, without parameters. */
  readonly content: Readonly<Record<string, TableSchema>>
}

export interface TableOperation {
  readonly method: string
  /** Path templates, each with a base path of a server before it. */
  readonly paths: readonly string[]
  readonly parameters: readonly TableParameter[]
  readonly body?: TableBody
}

export interface DefinitionTable {
  readonly version: 1
  readonly operations: readonly TableOperation[]
  readonly schemas: readonly TableSchema[]
  /** Names of query parameters that credentials are sent in. */
  readonly credentials: readonly string[]
}

export const OPERATIONS_MAX = 5_000
export const TABLE_BYTES_MAX = 1024 * 1024
