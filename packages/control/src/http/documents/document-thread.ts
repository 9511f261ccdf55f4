/** The thread that reads and checks documents, one after the other. */
import { constants, setPriority } from 'node:os'
import { parentPort } from 'node:worker_threads'
import { gzipSync } from 'node:zlib'
import type { FieldError } from '@sallyport/contract'
import { BadDocument } from './bad-document.ts'
import { definitionFaults, prepareChecks } from './definition-faults.ts'
import { readEvents } from './document-events.ts'
import { formatOf, operationCount } from './document-kind.ts'
import { introspectionOf, type ReadSchema, readIntrospection, readSchema } from './graphql-document.ts'
import { definitionOfCollection } from './postman-collection.ts'
import { type DocumentSyntax, decode, outlineOf, type ReadDocument, readDocument } from './read-document.ts'

/** To the thread: read this. */
export interface DocumentToRead {
  readonly bytes: Uint8Array
  readonly syntax: DocumentSyntax
}

/** From the thread, once for each. */
export type DocumentOutcome =
  | { readonly kind: 'read'; readonly document: ReadDocument }
  | { readonly kind: 'faulty'; readonly faults: readonly FieldError[] }
  | { readonly kind: BadDocument['kind']; readonly sentence: string; readonly path: string }

// Where both want a core, the API goes first. On Linux a thread has a priority of its own; elsewhere this would be the process's.
if (process.platform === 'linux') setPriority(constants.priority.PRIORITY_BELOW_NORMAL)
await prepareChecks()
parentPort?.on('message', ({ bytes, syntax }: DocumentToRead) => {
  // What is no outcome ends the thread, as an error of the thread's own does.
  void outcomeOf(bytes, syntax).then((outcome) => parentPort?.postMessage(outcome))
})
parentPort?.postMessage('started')

async function outcomeOf(bytes: Uint8Array, syntax: DocumentSyntax): Promise<DocumentOutcome> {
  try {
    if (syntax === 'graphql') return schemaOutcome(readSchema(decode(bytes)), { graphql: '' })
    const { value, read, outline } = readDocument(bytes, syntax)
    const introspection = introspectionOf(value)
    if (introspection !== undefined) return schemaOutcome(readIntrospection(introspection), outline)
    const collected = definitionOfCollection(value)
    if (collected !== undefined) return await collectionOutcome(collected)
    const faults = await definitionFaults(value, read)
    if (faults.length > 0) return { kind: 'faulty', faults }
    const facts = { format: formatOf(value), operations: operationCount(value), outline }
    return { kind: 'read', document: { ...packed(JSON.stringify(value) ?? 'null'), ...facts } }
  } catch (error) {
    if (error instanceof BadDocument) return { kind: error.kind, sentence: error.message, path: error.path }
    throw error
  }
}

/** The lines of faults would be of a text that nobody sent. */
async function collectionOutcome(definition: Record<string, unknown>): Promise<DocumentOutcome> {
  const text = JSON.stringify(definition)
  const faults = await definitionFaults(definition, readEvents(text))
  if (faults.length > 0)
    return {
      kind: 'malformed',
      sentence: 'The requests of the Postman collection make no API definition.',
      path: '',
    }
  const facts = { format: formatOf(definition), operations: operationCount(definition) }
  return { kind: 'read', document: { ...packed(text), ...facts, outline: outlineOf(definition) } }
}

function schemaOutcome(schema: ReadSchema, outline: ReadDocument['outline']): DocumentOutcome {
  const { text, operations, faults } = schema
  if (faults.length > 0) return { kind: 'faulty', faults }
  return { kind: 'read', document: { ...packed(text), format: 'graphql', operations, outline } }
}

function packed(text: string): Pick<ReadDocument, 'content' | 'sizeBytes'> {
  const bytes = Buffer.from(text)
  return { content: gzipSync(bytes), sizeBytes: bytes.length }
}
