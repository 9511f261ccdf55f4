/**
 * What is done with stored documents, which may be large: handed out and compared, in a thread of its own, so that neither the event
 * loop nor the thread that reads uploads is kept. Organizations take turns.
 */
import { FairSemaphore, ThreadDeadlineError, WorkerThread } from '@sallyport/toolbox'
import { ProblemError, unavailable } from '../../../errors.ts'
import type { DocumentAnswer, DocumentTask } from './document-tasks.ts'

export interface DocumentWorker {
  /** Rejects with a 503 where too many wait, or the work takes too long. `sender` is the organization. */
  work<Task extends DocumentTask>(sender: string, task: Task): Promise<DocumentAnswer<Task>>
  /** Ends the thread. */
  close(): Promise<void>
}

const DEADLINE_MS = 15_000
const RESOURCE_LIMITS = { maxOldGenerationSizeMb: 1024, maxYoungGenerationSizeMb: 32 }
/** For what waits. */
const ROOM = { ofOwner: 16, ofAll: 64 }

export function createDocumentWorker(failed: (error: unknown) => void): DocumentWorker {
  const turns = new FairSemaphore(1, { room: ROOM, refusal: tooManyWait })
  const thread = new WorkerThread<DocumentTask, unknown>(
    new URL('./document-worker-thread.ts', import.meta.url),
    {
      name: 'document-worker',
      resourceLimits: RESOURCE_LIMITS,
    },
  )

  return {
    work: <Task extends DocumentTask>(sender: string, task: Task) =>
      turns.run(sender, async () => {
        const answer = await thread.ask(task, { deadlineMs: DEADLINE_MS }).catch((error: unknown) => {
          if (!(error instanceof ThreadDeadlineError)) failed(error)
          throw new ProblemError('unavailable', { cause: error })
        })
        // The thread answers each task with what is of its kind.
        return answer as DocumentAnswer<Task>
      }),
    close: () => thread.close(),
  }
}

const tooManyWait = (): ProblemError =>
  unavailable('Too many definitions wait to be handed out; try again.', 10)
