/** What the learner's thread is asked, and how it answers: the given documents are read there, too. */
import type { LearnedOperation } from '@sallyport/api-learning'
import { type PackedText, textOfNow } from '../documents/document-text.ts'
import { givenOperations } from '../operations/given-operations.ts'
import { type ConfirmedOperation, canonical, type KnownApi, knownRoutes } from '../operations/site-api.ts'
import { learnFromLines } from './read-lines.ts'

export interface LearnerQuestion {
  /** Observations, as `readObservations` answers them. */
  readonly lines: Uint8Array
  /** Uploaded documents, as they are stored. */
  readonly documents: readonly PackedText[]
  readonly confirmed: readonly ConfirmedOperation[]
}

/** The API of a site: what was known of it, each operation under one template, and what was seen. */
export interface SiteApi {
  /** Whether a document was given, which may give no operation. */
  readonly hasDocument: boolean
  readonly known: KnownApi
  readonly seen: readonly LearnedOperation[]
}

export function learnApi({ lines, documents, confirmed }: LearnerQuestion): SiteApi {
  const given = documents.flatMap((document) => givenOperations(JSON.parse(textOfNow(document))))
  const known = canonical({ given, confirmed })
  return { hasDocument: documents.length > 0, known, seen: learnFromLines(lines, knownRoutes(known)) }
}
