/** What the parts that judge values share: the way back to the schemas within theirs, and the budget. */
import type { TableSchema } from '../table.ts'
import type { Patterns } from './patterns.ts'

export interface ValueJudge {
  readonly patterns: Patterns
  /** Takes steps of the budget; throws a `NotJudgedError` where it is used up. */
  readonly spend: (steps: number) => void
  /** Says that the value here is not as it should be. */
  refuse(message: string): false
  judge(schema: TableSchema, value: unknown): boolean
  /** Judges what is in the value under a name or index. */
  judgeAt(step: string | number, schema: TableSchema, value: unknown): boolean
  /** Judges without saying what is wrong. */
  tries(schema: TableSchema, value: unknown): boolean
}
