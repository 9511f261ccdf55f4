/** The thread that compiles tables. It makes much garbage, which goes with its heap when it is ended. */
import { parentPort } from 'node:worker_threads'
import { createCandidates } from '../prefilter/candidates.ts'
import type { PrefilterTables } from '../prefilter/prefilter.ts'
import { compilingSource } from '../prefilter/prefilter-source.ts'
import { compileRules } from '../rules/compiled-rules.ts'
import { encodeTables } from './table-bytes.ts'

/** To the thread: compile these. */
export interface RulesToCompile {
  /** A list of rules as JSON. */
  readonly rules: string
  /** What the tables are kept under. */
  readonly key: string
}

/** From the thread, once for each: `encodeTables` of the tables. */
export type CompiledTables = Uint8Array<ArrayBuffer>

parentPort?.on('message', ({ rules, key }: RulesToCompile) => {
  const tables = new Map<string, PrefilterTables>()
  createCandidates(compileRules(JSON.parse(rules)), compilingSource(tables))
  const bytes: CompiledTables = encodeTables(key, tables)
  parentPort?.postMessage(bytes, [bytes.buffer])
})
parentPort?.postMessage('started')
