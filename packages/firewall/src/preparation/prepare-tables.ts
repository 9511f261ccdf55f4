/** Tables of prefilters for some rules: from where they were kept, or compiled aside and kept. */
import { type ChildProcess, fork } from 'node:child_process'
import { createHash, type Hash } from 'node:crypto'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { endianness } from 'node:os'
import { join } from 'node:path'
import type { PreparedTables } from '../prefilter/prefilter-source.ts'
import type { Rule } from '../rules/rule-format.ts'
import { decodeTables } from './table-bytes.ts'
import type { CompilationAnswer, RulesToCompile } from './table-process.ts'

/** Keeps bytes from one start of the program to the next. Neither of both rejects. */
export interface TableStore {
  /** What was written last; undefined where there is nothing. */
  read(): Promise<Uint8Array<ArrayBuffer> | undefined>
  write(bytes: Uint8Array<ArrayBuffer>): Promise<void>
}

/** Some fifty times what the maintained rules and ours take, ten times what the whole Core Rule Set takes besides. */
const DEADLINE_MS = 60_000
const PROGRAM = join(import.meta.dirname, 'table-process.ts')
/** A small young generation takes no more time here. */
const HEAP = ['--max-old-space-size=1024', '--max-semi-space-size=2']

/** Raised where the process that compiles tables fails, ends without an answer, or takes too long. */
export class TablesNotCompiledError extends Error {
  override readonly name = 'TablesNotCompiledError'
}

/**
 * The tables for rules, which belong to whoever asked. Takes a second or more where nothing fitting was kept; the work is done in a
 * process of its own. Rejects with `TablesNotCompiledError`.
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
  if (!compiled) throw new TablesNotCompiledError('the process answered with tables of other rules')
  return compiled
}

async function compileAside(asked: RulesToCompile, deadlineMs: number): Promise<Uint8Array<ArrayBuffer>> {
  // Of the environment it needs nothing, and secrets are in it.
  const child = fork(PROGRAM, {
    execArgv: HEAP,
    env: {},
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  })
  // Whoever waits is told; what comes later must not end the process.
  child.on('error', () => undefined)
  try {
    child.send(asked)
    const answer = await answerOf(child, deadlineMs)
    if ('failure' in answer) throw new TablesNotCompiledError(answer.failure)
    // It lies anywhere in its message, and arrays of larger numbers may not.
    return new Uint8Array(answer.tables)
  } finally {
    child.kill('SIGKILL')
  }
}

async function answerOf(child: ChildProcess, deadlineMs: number): Promise<CompilationAnswer> {
  const signal = AbortSignal.timeout(deadlineMs)
  const ended = once(child, 'exit', { signal }).then(() => {
    throw new TablesNotCompiledError('the process ended without an answer')
  })
  try {
    const [answer] = await Promise.race([once(child, 'message', { signal }), ended])
    return answer
  } catch (error) {
    if (!signal.aborted) throw error
    throw new TablesNotCompiledError(`the process did not answer within ${deadlineMs} ms`)
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
