/**
 * What is done with stored documents, which may be large: handed out and compared, in a thread of its own, so that neither the event
 * loop nor the thread that reads uploads is kept. Organizations take turns.
 */
import { FairQueue, ThreadDeadlineError, WorkerThread } from '@sallyport/toolbox'
import { ProblemError } from '../../../errors.ts'
import type { DocumentAnswer, DocumentTask } from './document-tasks.ts'

export interface DocumentWorker {
  /** Rejects with a 503 where too many wait, or the work takes too long. `sender` is the organization. */
  work<Task extends DocumentTask>(sender: string, task: Task): Promise<DocumentAnswer<Task>>
  /** Ends the thread. */
  close(): Promise<void>
}

interface Waiting {
  readonly task: DocumentTask
  readonly resolve: (answer: unknown) => void
  readonly reject: (error: unknown) => void
}

const DEADLINE_MS = 15_000
const RESOURCE_LIMITS = { maxOldGenerationSizeMb: 1024, maxYoungGenerationSizeMb: 32 }
/** For what waits. */
const ROOM = { ofOwner: 16, ofAll: 64 }

export function createDocumentWorker(failed: (error: unknown) => void): DocumentWorker {
  const waiting = new FairQueue<Waiting>()
  let isWorking = false
  const thread = new WorkerThread<DocumentTask, unknown>(
    new URL('./document-worker-thread.ts', import.meta.url),
    {
      name: 'document-worker',
      resourceLimits: RESOURCE_LIMITS,
    },
  )

  async function workOff(): Promise<void> {
    if (isWorking) return
    isWorking = true
    for (let next = waiting.shift(); next; next = waiting.shift())
      await thread.ask(next.task, { deadlineMs: DEADLINE_MS }).then(next.resolve, (error: unknown) => {
        if (!(error instanceof ThreadDeadlineError)) failed(error)
        next.reject(new ProblemError('unavailable', { cause: error }))
      })
    isWorking = false
  }

  return {
    work: (sender, task) =>
      new Promise((resolve, reject) => {
        if (!waiting.hasRoomFor(sender, ROOM)) throw tooManyWait()
        // The thread answers each task with what is of its kind.
        waiting.push(sender, { task, resolve: resolve as Waiting['resolve'], reject })
        void workOff()
      }),
    close: () => thread.close(),
  }
}

const tooManyWait = (): ProblemError =>
  new ProblemError('unavailable', {
    detail: 'Too many definitions wait to be handed out; try again.',
    headers: { 'retry-after': '10' },
  })
