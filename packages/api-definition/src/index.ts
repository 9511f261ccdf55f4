/** The public face: a document in, a table out; a table in, judgements out. */
export { ApiDefinition, type JudgedHead, type Judgement, type JudgeOptions } from './api-definition.ts'
export {
  type CompiledDefinition,
  compileDefinition,
  DefinitionNotCompiledError,
} from './compile/compile-definition.ts'
export { isObject, type Json, listOf, objectOf, resolved } from './compile/references.ts'
export { readTable } from './read-table.ts'
export type { SentBody } from './request/judge-body.ts'
export { VIOLATIONS, type Violation, type ViolationName, type ViolationPart } from './request/violation.ts'
export { OPERATIONS_MAX, TABLE_BYTES_MAX } from './table.ts'
