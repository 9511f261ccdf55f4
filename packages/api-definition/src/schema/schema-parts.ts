/** Schemas within schemas. */
import type { TableSchema } from '../table.ts'

export const isSchema = (value: unknown): value is TableSchema =>
  typeof value === 'boolean' || (typeof value === 'object' && value !== null && !Array.isArray(value))

export const schemaList = (value: unknown): readonly TableSchema[] =>
  Array.isArray(value) ? value.filter(isSchema) : []
