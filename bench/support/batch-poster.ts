/**
 * Posts batches of made-up events as one gateway does, each once the one before it is acknowledged. It does so in a thread
 * of its own, so that whoever measures something meanwhile has an event loop to itself.
 */
import { once } from 'node:events'
import { Worker } from 'node:worker_threads'

/** What a gateway sends at once when so many wait. */
export const EVENTS_A_BATCH = 18_000

export interface PosterOptions {
  readonly url: string
  readonly gatewayToken: string
  readonly organizationId: string
}

export interface BatchPoster {
  /** Begins to post at this rate, or as fast as batches are taken. */
  start(eventsASecond?: number): void
  /** Resolves once the last batch is acknowledged, with the number of batches so far. */
  stop(): Promise<number>
  close(): Promise<unknown>
}

export async function startBatchPoster(options: PosterOptions): Promise<BatchPoster> {
  const thread = new Worker(new URL('./batch-poster-thread.ts', import.meta.url), { workerData: options })
  const close = (): Promise<unknown> => thread.terminate()
  await once(thread, 'message')
  return {
    start: (eventsASecond = Number.POSITIVE_INFINITY) => thread.postMessage(eventsASecond / EVENTS_A_BATCH),
    stop: async () => {
      const stopped = once(thread, 'message')
      thread.postMessage(0)
      const [posted] = await stopped
      return posted
    },
    close,
  }
}
