/** The thread that reads documents, one after the other. */
import { constants, setPriority } from 'node:os'
import { parentPort } from 'node:worker_threads'
import { BadDocument, type DocumentFormat, type ReadDocument, readDocument } from './read-document.ts'

/** To the thread: read this. */
export interface DocumentToRead {
  readonly bytes: Uint8Array
  readonly format: DocumentFormat
}

/** From the thread, once for each. */
export type DocumentOutcome =
  | { readonly kind: 'read'; readonly document: ReadDocument }
  | { readonly kind: BadDocument['kind']; readonly sentence: string }

// Where both want a core, the API goes first. On Linux a thread has a priority of its own; elsewhere this would be the process's.
if (process.platform === 'linux') setPriority(constants.priority.PRIORITY_BELOW_NORMAL)
parentPort?.on('message', ({ bytes, format }: DocumentToRead) => {
  parentPort?.postMessage(outcomeOf(bytes, format))
})
parentPort?.postMessage('started')

function outcomeOf(bytes: Uint8Array, format: DocumentFormat): DocumentOutcome {
  try {
    return { kind: 'read', document: readDocument(bytes, format) }
  } catch (error) {
    if (error instanceof BadDocument) return { kind: error.kind, sentence: error.message }
    throw error
  }
}
