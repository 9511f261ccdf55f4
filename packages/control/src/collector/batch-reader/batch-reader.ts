/**
 * Reads batches in a thread of its own, which parses, checks and makes rows while the event loop of the control plane
 * goes on serving the API: it only moves buffers. A batch waits in the thread until it is stored.
 *
 * If the thread dies, whatever killed it, the batches that it held are rejected, so that their gateways send them again,
 * and the next batch starts another.
 */
import { once } from 'node:events'
import { MessageChannel, Worker } from 'node:worker_threads'
import type { BatchHeader } from '@sallyport/contract'
import type { GatheredBatch } from './gathered-batch.ts'
import type { BatchSource } from './read-batch.ts'
import type { NewBatch } from './reader-messages.ts'
import { RemoteBatch } from './remote-batch.ts'

export interface BatchReader {
  /**
   * Starts the thread where there is none, and resolves once it is there, so that the first batch, which says that its gateway is alive,
   * does not wait for it.
   */
  start(): Promise<void>
  /**
   * Reads a batch from the body of its request, whose chunks become the reader's own, and calls `act` with it; the batch is freed when that promise is settled. `onHeader` gets the header as soon as it has come. Rejects with `BadBatch` when the
   * batch can never be stored.
   */
  read(
    body: AsyncIterable<Buffer>,
    source: BatchSource,
    onHeader: (header: BatchHeader) => void,
    act: (batch: GatheredBatch) => Promise<void>,
  ): Promise<void>
  /** Ends the thread. */
  close(): Promise<void>
}

/** `failed` is called with the reason when the thread dies. */
export function createBatchReader(failed: (error: unknown) => void): BatchReader {
  let thread: Worker | undefined
  let there: Promise<unknown> = Promise.resolve()
  const startThread = (): Worker => {
    const started = new Worker(new URL('./reader-thread.ts', import.meta.url), { name: 'batch-reader' })
    started.on('error', failed)
    started.once('exit', () => {
      if (thread === started) thread = undefined
    })
    there = Promise.race([once(started, 'message'), once(started, 'exit')])
    // Whoever waits for it is told; that it died, `failed` is.
    there.catch(() => undefined)
    return started
  }
  return {
    start: async () => {
      thread ??= startThread()
      await there
    },
    read: async (body, source, onHeader, act) => {
      thread ??= startThread()
      const { port1, port2 } = new MessageChannel()
      thread.postMessage({ port: port2, source } satisfies NewBatch, [port2])
      const remote = new RemoteBatch(port1, onHeader)
      try {
        await remote.send(body)
        await act(await remote.read)
      } finally {
        port1.close()
      }
    },
    close: async () => void (await thread?.terminate()),
  }
}
