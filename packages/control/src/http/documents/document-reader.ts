/**
 * Reads documents in a thread of its own, under a deadline and a bound of memory: no text, however it is made, holds up the
 * event loop, and one that takes too much ends the thread and not the control plane. The next document starts another.
 *
 * One thread, because documents are uploaded rarely. What waits for it is bounded, altogether and for each sender, and senders
 * take turns, so that one organization's documents cannot keep another's away for long.
 */
import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { FairQueue } from '@sallyport/toolbox'
import { codeOf } from '../../database/database.ts'
import { ApiError, invalid } from '../errors.ts'
import type { DocumentOutcome, DocumentToRead } from './document-thread.ts'
import type { DocumentFormat, ReadDocument } from './read-document.ts'

export interface DocumentReader {
  /**
   * Rejects with a 400 where the document cannot be read within the bounds, and with a 503 where too many wait.
   * `sender` names whoever shares one allowance of waiting documents.
   */
  read(sender: string, body: Uint8Array, format: DocumentFormat): Promise<ReadDocument>
  /** Ends the thread. */
  close(): Promise<void>
}

export interface DocumentReaderOptions {
  /** Told why the thread died, where that was not the document's doing. */
  readonly failed: (error: unknown) => void
  /** Time for one document, from when the thread takes it up. */
  readonly deadlineMs?: number
}

/** Some six times what an ordinary definition of 1 MiB takes. */
const DEADLINE_MS = 5_000
/** Some four times what an ordinary definition of 1 MiB takes. */
const RESOURCE_LIMITS = { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 32 }
const WAITING_MAX = 32
const WAITING_PER_SENDER_MAX = 16
const RETRY_AFTER_SECONDS = 10

export function createDocumentReader(options: DocumentReaderOptions): DocumentReader {
  const { failed, deadlineMs = DEADLINE_MS } = options
  /** Documents that wait, by sender. */
  const waiting = new FairQueue<Waiting>()
  let isReading = false
  const thread = openThread(failed, deadlineMs)

  /** Reads what waits, one document of each sender after the other. */
  async function readWaiting(): Promise<void> {
    if (isReading) return
    isReading = true
    for (let next = waiting.shift(); next; next = waiting.shift())
      await thread.read(next.bytes, next.format).then(next.resolve, next.reject)
    isReading = false
  }

  return {
    read: (sender, body, format) =>
      new Promise((resolve, reject) => {
        if (waiting.length >= WAITING_MAX || waiting.lengthOf(sender) >= WAITING_PER_SENDER_MAX)
          throw tooManyWait()
        // A copy that can be given away: the buffer of a request may hold parts of others.
        waiting.push(sender, { bytes: new Uint8Array(body), format, resolve, reject })
        void readWaiting()
      }),
    close: thread.close,
  }
}

/** The thread, which is started for the first document and after each that ended it. One document at a time. */
function openThread(failed: DocumentReaderOptions['failed'], deadlineMs: number) {
  let thread: Worker | undefined

  const start = async (): Promise<Worker> => {
    const url = new URL('./document-thread.ts', import.meta.url)
    const started = new Worker(url, { name: 'document-reader', resourceLimits: RESOURCE_LIMITS })
    // `once` rejects for whoever waits for the thread; an error that nobody waits for must not end the process.
    started.on('error', () => undefined)
    started.once('exit', () => {
      if (thread === started) thread = undefined
    })
    await once(started, 'message')
    return started
  }
  return {
    async read(bytes: Uint8Array<ArrayBuffer>, format: DocumentFormat): Promise<ReadDocument> {
      try {
        thread ??= await start()
        const answered = once(thread, 'message', { signal: AbortSignal.timeout(deadlineMs) })
        thread.postMessage({ bytes, format } satisfies DocumentToRead, [bytes.buffer])
        const [outcome] = (await answered) as [DocumentOutcome]
        return documentOf(outcome)
      } catch (error) {
        if (error instanceof ApiError) throw error
        await thread?.terminate()
        throw refusalOf(error, failed)
      }
    },
    close: async (): Promise<void> => void (await thread?.terminate()),
  }
}

interface Waiting {
  readonly bytes: Uint8Array<ArrayBuffer>
  readonly format: DocumentFormat
  readonly resolve: (document: ReadDocument) => void
  readonly reject: (error: unknown) => void
}

const tooManyWait = (): ApiError =>
  new ApiError('unavailable', {
    detail: 'Too many documents wait to be read; try again.',
    headers: { 'retry-after': String(RETRY_AFTER_SECONDS) },
  })

function documentOf(outcome: DocumentOutcome): ReadDocument {
  if (outcome.kind === 'read') return outcome.document
  if (outcome.kind === 'malformed') throw new ApiError('malformed_body', { detail: outcome.sentence })
  throw invalid('', outcome.sentence)
}

function refusalOf(error: unknown, failed: (error: unknown) => void): ApiError {
  if (error instanceof Error && error.name === 'AbortError') return invalid('', 'takes too long to read')
  if (codeOf(error) === 'ERR_WORKER_OUT_OF_MEMORY') return invalid('', 'takes too much memory to read')
  failed(error)
  return new ApiError('unavailable', { cause: error })
}
