/** The thread that compiles API definitions to tables, one after the other. */
import { constants, setPriority } from 'node:os'
import { parentPort } from 'node:worker_threads'
import {
  type CompiledDefinition,
  compileDefinition,
  DefinitionNotCompiledError,
} from '@sallyport/api-definition'
import { type PackedText, textOfNow } from '../documents/document-text.ts'

/** From the thread, once for the documents of a site. */
export type RuleOutcome =
  | { readonly kind: 'compiled'; readonly compiled: CompiledDefinition }
  | { readonly kind: 'refused'; readonly sentence: string }

// Where both want a core, the API goes first. On Linux a thread has a priority of its own; elsewhere this would be the process's.
if (process.platform === 'linux') setPriority(constants.priority.PRIORITY_BELOW_NORMAL)
parentPort?.on('message', (documents: readonly PackedText[]) => parentPort?.postMessage(outcomeOf(documents)))
parentPort?.postMessage('started')

function outcomeOf(documents: readonly PackedText[]): RuleOutcome {
  try {
    return {
      kind: 'compiled',
      compiled: compileDefinition(...documents.map((document) => JSON.parse(textOfNow(document)))),
    }
  } catch (error) {
    if (error instanceof DefinitionNotCompiledError) return { kind: 'refused', sentence: error.message }
    throw error
  }
}
