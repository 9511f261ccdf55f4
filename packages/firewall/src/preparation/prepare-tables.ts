/** Tables of prefilters for some rules: from where they were kept, or compiled aside and kept. */
import { createHash, type Hash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { endianness } from 'node:os'
import { join } from 'node:path'
import { WorkerThread } from '@sallyport/toolbox'
import type { PreparedTables } from '../prefilter/prefilter-source.ts'
import type { Rule } from '../rules/rule-format.ts'
import { decodeTables } from './table-bytes.ts'
import type { CompiledTables, RulesToCompile } from './table-thread.ts'

/** Keeps bytes from one start of the program to the next. Neither of both rejects. */
export interface TableStore {
  /** What was written last; undefined where there is nothing. */
  read(): Promise<Uint8Array<ArrayBuffer> | undefined>
  write(bytes: Uint8Array<ArrayBuffer>): Promise<void>
}

/** Some fifty times what the maintained rules and ours take, ten times what the whole Core Rule Set takes besides. */
const DEADLINE_MS = 60_000
/** A small young generation takes no more time here, and leaves V8 30 MB less to hold on to for some seconds. */
const RESOURCE_LIMITS = { maxOldGenerationSizeMb: 1_024, maxYoungGenerationSizeMb: 6 }

/**
 * The tables for rules, which belong to whoever asked. Takes a second or more where nothing fitting was kept; the work is done in a
 * thread, which is ended then. Rejects where the thread fails, or does not answer within its time.
 */
export async function prepareTables(
  rules: readonly Rule[],
  store: TableStore,
  deadlineMs = DEADLINE_MS,
): Promise<PreparedTables> {
  const text = JSON.stringify(rules)
  const key = keyOf(text)
  const kept = await store.read()
  const known = kept && decodeTables(key, kept)
  if (known) return known
  const bytes = await compileAside({ rules: text, key }, deadlineMs)
  // Before they are used, because that writes into them.
  await store.write(bytes)
  const compiled = decodeTables(key, bytes)
  if (!compiled) throw new Error('the thread that compiles tables answered with others')
  return compiled
}

async function compileAside(asked: RulesToCompile, deadlineMs: number): Promise<CompiledTables> {
  const thread = new WorkerThread<RulesToCompile, CompiledTables>(
    new URL('./table-thread.ts', import.meta.url),
    { name: 'firewall-tables', resourceLimits: RESOURCE_LIMITS },
  )
  try {
    return await thread.ask(asked, { deadlineMs })
  } finally {
    await thread.close()
  }
}

let sources: Hash | undefined

/** Of rules, of the program text that makes tables of them, and of how the machine writes numbers. */
function keyOf(rules: string): string {
  sources ??= hashOfSources(join(import.meta.dirname, '..'))
  return sources.copy().update(rules).digest('hex')
}

function hashOfSources(folder: string): Hash {
  const hash = createHash('sha256').update(endianness())
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort())
    if (name.endsWith('.ts')) hash.update(name).update(readFileSync(join(folder, name)))
  return hash
}
