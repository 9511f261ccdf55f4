/** The thread that reads and checks documents, one after the other. */
import { constants, setPriority } from 'node:os'
import { parentPort } from 'node:worker_threads'
import type { FieldError } from '@sallyport/contract'
import { definitionFaults, prepareChecks } from './definition-faults.ts'
import { BadDocument, type DocumentFormat, type ReadDocument, readDocument } from './read-document.ts'

/** To the thread: read this. */
export interface DocumentToRead {
  readonly bytes: Uint8Array
  readonly format: DocumentFormat
}

/** From the thread, once for each. */
export type DocumentOutcome =
  | { readonly kind: 'read'; readonly document: ReadDocument }
  | { readonly kind: 'faulty'; readonly faults: readonly FieldError[] }
  | { readonly kind: BadDocument['kind']; readonly sentence: string }

// Where both want a core, the API goes first. On Linux a thread has a priority of its own; elsewhere this would be the process's.
if (process.platform === 'linux') setPriority(constants.priority.PRIORITY_BELOW_NORMAL)
await prepareChecks()
parentPort?.on('message', ({ bytes, format }: DocumentToRead) => {
  // What is no outcome ends the thread, as an error of the thread's own does.
  void outcomeOf(bytes, format).then((outcome) => parentPort?.postMessage(outcome))
})
parentPort?.postMessage('started')

async function outcomeOf(bytes: Uint8Array, format: DocumentFormat): Promise<DocumentOutcome> {
  try {
    const { value, source, text, outline } = readDocument(bytes, format)
    const faults = await definitionFaults(value, source)
    return faults.length > 0 ? { kind: 'faulty', faults } : { kind: 'read', document: { text, outline } }
  } catch (error) {
    if (error instanceof BadDocument) return { kind: error.kind, sentence: error.message }
    throw error
  }
}
