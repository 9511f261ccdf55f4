/**
 * The process that compiles tables: it is asked once, answers once, and ends. It makes much garbage, which goes with it, and V8 and
 * glibc keep nothing of that in the process that asked.
 */
import { createCandidates } from '../prefilter/candidates.ts'
import type { PrefilterTables } from '../prefilter/prefilter.ts'
import { compilingSource } from '../prefilter/prefilter-source.ts'
import { compileRules } from '../rules/compiled-rules.ts'
import { encodeTables } from './table-bytes.ts'

/** To the process: compile these. */
export interface RulesToCompile {
  /** A list of rules as JSON. */
  readonly rules: string
  /** What the tables are kept under. */
  readonly key: string
}

/** From the process, once: `encodeTables` of the tables, or why there are none. */
export type CompilationAnswer = { readonly tables: Uint8Array } | { readonly failure: string }

function answer({ rules, key }: RulesToCompile): CompilationAnswer {
  try {
    const tables = new Map<string, PrefilterTables>()
    createCandidates(compileRules(JSON.parse(rules)), compilingSource(tables))
    return { tables: encodeTables(key, tables) }
  } catch (error) {
    return { failure: String(error) }
  }
}

// Whoever asked has ended, or has its answer.
process.once('disconnect', () => process.exit())
process.once('message', (asked: RulesToCompile) => process.send?.(answer(asked), () => process.disconnect()))
