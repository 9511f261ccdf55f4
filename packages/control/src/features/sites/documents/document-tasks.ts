/** What the thread that works with stored documents is asked, and what it answers. */
import type { DocumentFormat } from '@sallyport/contract'
import { publishedDocument, withoutSecrets } from '../definition/gated-document.ts'
import { withConfirmed } from '../operations/confirmed-document.ts'
import type { ConfirmedOperation } from '../operations/site-api.ts'
import { type DocumentChanges, differenceOf } from './difference.ts'
import { type PackedText, textOfNow } from './document-text.ts'

/** A version of a document, as the thread gets it. */
export interface StoredDocument extends PackedText {
  readonly format: DocumentFormat
}

/** Make what may be handed out of a document, whose servers are `gatedOrigin` there, and of what a person took into it. */
interface PublishTask {
  readonly kind: 'publish'
  readonly document: StoredDocument
  readonly confirmed: readonly ConfirmedOperation[]
  readonly gatedOrigin: string
}

/** Say what differs between two versions. */
interface CompareTask {
  readonly kind: 'compare'
  readonly before: StoredDocument
  readonly after: StoredDocument
}

export type DocumentTask = PublishTask | CompareTask

/** What a task is answered with: of a document that is handed out, its text. */
export type DocumentAnswer<Task extends DocumentTask> = Task extends PublishTask ? string : DocumentChanges

/** Does a task, in the thread. */
export function answerTask(task: DocumentTask): DocumentAnswer<DocumentTask> {
  if (task.kind === 'compare') return differenceOf(parsed(task.before), parsed(task.after))
  if (task.document.format === 'graphql') return withoutSecrets(textOfNow(task.document))
  const { document, confirmed, gatedOrigin } = task
  const publish = (given: Record<string, unknown>) => publishedDocument(given, gatedOrigin)
  return JSON.stringify(withConfirmed(parsed(document), publish, confirmed, gatedOrigin))
}

/** What is stored is an object: it was checked. */
const parsed = (document: StoredDocument): Record<string, unknown> => JSON.parse(textOfNow(document))
