/** Compiles API definitions to the tables that gateways judge by: in a thread of its own, organizations in turns, under a deadline. */
import { createHash } from 'node:crypto'
import { FairSemaphore, ThreadDeadlineError, WorkerThread } from '@sallyport/toolbox'
import { codeOf } from '../../../database/database.ts'
import { type ProblemError, unavailable } from '../../../errors.ts'
import type { StoredText } from '../documents/store.ts'
import type { RuleOutcome } from './rule-thread.ts'
import type { NewRuleTable } from './store.ts'

/** Raised where a document cannot be a rule, with why. */
export class NoRuleError extends Error {
  override readonly name = 'NoRuleError'
}

export interface RuleCompiler {
  /** Rejects with a `NoRuleError`, and with a 503 where too many wait. `sender` is the organization. */
  compile(sender: string, documents: readonly StoredText[]): Promise<Omit<NewRuleTable, 'source'>>
  /** Ends the thread. */
  close(): Promise<void>
}

const DEADLINE_MS = 15_000
/** For what waits. */
const ROOM = { ofOwner: 8, ofAll: 32 }
const RESOURCE_LIMITS = { maxOldGenerationSizeMb: 512, maxYoungGenerationSizeMb: 32 }

export function createRuleCompiler(): RuleCompiler {
  const thread = new WorkerThread<readonly StoredText[], RuleOutcome>(
    new URL('./rule-thread.ts', import.meta.url),
    {
      name: 'definition-compiler',
      resourceLimits: RESOURCE_LIMITS,
    },
  )
  const turns = new FairSemaphore(1, { room: ROOM, refusal: tooManyWait })

  const ask = (documents: readonly StoredText[]): Promise<RuleOutcome> =>
    thread
      .ask(
        documents.map(({ content, packing }) => ({ content, packing })),
        { deadlineMs: DEADLINE_MS },
      )
      .catch((error: unknown) => {
        if (error instanceof ThreadDeadlineError)
          throw new NoRuleError('The API definition takes too long to compile.')
        if (codeOf(error) === 'ERR_WORKER_OUT_OF_MEMORY')
          throw new NoRuleError('The API definition takes too much memory to compile.')
        throw error
      })

  return {
    compile: async (sender, documents) => {
      const outcome = await turns.run(sender, () => ask(documents))
      if (outcome.kind === 'refused') throw new NoRuleError(outcome.sentence)
      const { table, operations, leftOut } = outcome.compiled
      const hash = createHash('sha256').update(table).digest('hex')
      return { hash, table, operations, leftOut }
    },
    close: () => thread.close(),
  }
}

const tooManyWait = (): ProblemError =>
  unavailable('Too many definitions wait to be compiled; try again.', 10)
