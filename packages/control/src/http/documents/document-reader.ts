/**
 * Reads documents in a thread of its own, under a deadline and a bound of memory: no text, however it is made, holds up the
 * event loop, and one that takes too much ends the thread and not the control plane. The next document starts another.
 *
 * One thread, because documents are uploaded rarely. What waits for it is bounded, altogether and for each sender, and senders
 * take turns, so that one organization's documents cannot keep another's away for long.
 */
import { FairSemaphore, ThreadDeadlineError, WorkerThread } from '@sallyport/toolbox'
import { codeOf } from '../../database/database.ts'
import { invalid, ProblemError, unavailable } from '../../errors.ts'
import type { DocumentOutcome, DocumentToRead } from './document-thread.ts'
import type { DocumentSyntax, ReadDocument } from './read-document.ts'

export interface DocumentReader {
  /**
   * Rejects with a 400 where the document cannot be read within the bounds, and with a 503 where too many wait.
   * `sender` is the organization, each of which may have so many documents waiting.
   */
  read(sender: string, body: Uint8Array, syntax: DocumentSyntax): Promise<ReadDocument>
  /** Ends the thread. */
  close(): Promise<void>
}

export interface DocumentReaderOptions {
  /** Called with why the thread died, where that was not the document's doing. */
  readonly failed: (error: unknown) => void
  /** Time for one document, from when the thread begins with it. */
  readonly deadlineMs?: number
}

/** Some ten times what an ordinary definition of 16 MiB takes to read and check, because the API goes first where both want a core. */
const DEADLINE_MS = 20_000
/** Some twice what an ordinary definition of 16 MiB takes. */
const RESOURCE_LIMITS = { maxOldGenerationSizeMb: 768, maxYoungGenerationSizeMb: 32 }
/** For what waits. */
const ROOM = { ofOwner: 16, ofAll: 32 }
const RETRY_AFTER_SECONDS = 10

export function createDocumentReader(options: DocumentReaderOptions): DocumentReader {
  const { failed, deadlineMs = DEADLINE_MS } = options
  const turns = new FairSemaphore(1, { room: ROOM, refusal: tooManyWait })
  const thread = openThread(failed, deadlineMs)

  return {
    read: (sender, body, syntax) =>
      // A copy that can be given away: the buffer of a request may hold parts of others.
      turns.run(sender, () => thread.read(new Uint8Array(body), syntax)),
    close: thread.close,
  }
}

/** The thread, one document at a time. */
function openThread(failed: DocumentReaderOptions['failed'], deadlineMs: number) {
  const url = new URL('./document-thread.ts', import.meta.url)
  const thread = new WorkerThread<DocumentToRead, DocumentOutcome>(url, {
    name: 'document-reader',
    resourceLimits: RESOURCE_LIMITS,
  })
  return {
    async read(bytes: Uint8Array<ArrayBuffer>, syntax: DocumentSyntax): Promise<ReadDocument> {
      const outcome = await thread
        .ask({ bytes, syntax }, { deadlineMs, transfer: [bytes.buffer] })
        .catch((error: unknown) => {
          throw refusalOf(error, failed)
        })
      return documentOf(outcome)
    },
    close: (): Promise<void> => thread.close(),
  }
}

const tooManyWait = (): ProblemError =>
  unavailable('Too many documents wait to be read; try again.', RETRY_AFTER_SECONDS)

function documentOf(outcome: DocumentOutcome): ReadDocument {
  if (outcome.kind === 'read') return outcome.document
  if (outcome.kind === 'malformed') throw new ProblemError('malformed_body', { detail: outcome.sentence })
  if (outcome.kind === 'faulty') throw new ProblemError('validation_failed', { errors: outcome.faults })
  throw invalid(outcome.path, outcome.sentence)
}

function refusalOf(error: unknown, failed: (error: unknown) => void): ProblemError {
  if (error instanceof ThreadDeadlineError) return invalid('', 'takes too long to read')
  if (codeOf(error) === 'ERR_WORKER_OUT_OF_MEMORY') return invalid('', 'takes too much memory to read')
  failed(error)
  return new ProblemError('unavailable', { cause: error })
}
