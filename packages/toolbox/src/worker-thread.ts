import { once } from 'node:events'
import { type ResourceLimits, type Transferable, Worker } from 'node:worker_threads'

/** Raised where a thread does not answer within its time. */
export class ThreadDeadlineError extends Error {
  override readonly name = 'ThreadDeadlineError'
}

/** Raised where a thread ends without an answer, and not by an error of its own. */
export class ThreadEndedError extends Error {
  override readonly name = 'ThreadEndedError'
}

export interface AskOptions {
  /** Time for the answer, from when the thread has started. */
  readonly deadlineMs: number
  /** What is given away with the question. */
  readonly transfer?: readonly Transferable[]
}

/**
 * A thread that answers questions, one at a time. It is started by the first question, and again by the next one after it
 * died, until it is closed. It posts one message when it has started, and one for each question.
 */
export class WorkerThread<Question, Answer> {
  readonly #file: URL
  readonly #options: { readonly name: string; readonly resourceLimits: ResourceLimits }
  #thread: Worker | undefined
  #isClosed = false

  /** @param file the module that the thread runs */
  constructor(file: URL, options: { readonly name: string; readonly resourceLimits: ResourceLimits }) {
    this.#file = file
    this.#options = options
  }

  /**
   * Rejects with what killed the thread, with `ThreadDeadlineError`, or with `ThreadEndedError`; the thread is ended then.
   * The answer is what the thread says it is: it is not checked.
   */
  async ask(question: Question, { deadlineMs, transfer = [] }: AskOptions): Promise<Answer> {
    try {
      // Whoever is about to ask when it is closed would start a thread that nobody ends.
      if (this.#isClosed) throw new ThreadEndedError('the thread is closed')
      const thread = this.#thread ?? (await this.#start())
      const answered = nextMessage(thread, deadlineMs)
      thread.postMessage(question, [...transfer])
      return (await answered) as Answer
    } catch (error) {
      await this.#thread?.terminate()
      throw error
    }
  }

  /** Ends the thread for good. What was asked, and is asked from now on, is rejected. */
  async close(): Promise<void> {
    this.#isClosed = true
    await this.#thread?.terminate()
  }

  async #start(): Promise<Worker> {
    const started = new Worker(this.#file, this.#options)
    this.#thread = started
    // Whoever waits for the thread is told; an error that nobody waits for must not end the process.
    started.on('error', () => undefined)
    started.once('exit', () => {
      if (this.#thread === started) this.#thread = undefined
    })
    await nextMessage(started, START_MAX_MS)
    return started
  }
}

/** A thread starts in a tenth of a second; a machine may have much else to do. */
const START_MAX_MS = 30_000

async function nextMessage(thread: Worker, deadlineMs: number): Promise<unknown> {
  const settled = new AbortController()
  const { signal } = settled
  const timer = setTimeout(() => settled.abort(), deadlineMs)
  const ended = once(thread, 'exit', { signal }).then(() => {
    throw new ThreadEndedError('the thread ended without an answer')
  })
  try {
    const [message] = await Promise.race([once(thread, 'message', { signal }), ended])
    return message
  } catch (error) {
    if (!signal.aborted) throw error
    throw new ThreadDeadlineError(`the thread did not answer within ${deadlineMs} ms`)
  } finally {
    clearTimeout(timer)
    settled.abort()
  }
}
