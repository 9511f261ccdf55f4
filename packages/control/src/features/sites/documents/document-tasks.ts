/** What the thread that works with stored documents is asked, and what it answers. */
import type { DocumentFormat } from '@sallyport/contract'
import { publishedDocument } from '../definition/gated-document.ts'
import { withConfirmed } from '../operations/confirmed-document.ts'
import type { ConfirmedOperation } from '../operations/site-api.ts'
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

export type DocumentTask = PublishTask

/** What a task is answered with: of a document that is handed out, its text. */
export type DocumentAnswer<Task extends DocumentTask> = Task extends PublishTask ? string : never

/** Does a task, in the thread. */
export const answerTask = ({
  document,
  confirmed,
  gatedOrigin,
}: DocumentTask): DocumentAnswer<DocumentTask> =>
  JSON.stringify(
    withConfirmed(
      JSON.parse(textOfNow(document)),
      (given) => publishedDocument(given, gatedOrigin),
      confirmed,
      gatedOrigin,
    ),
  )
