/** The collector alone, on a port of its own: what gateways send to it is stored where a test says. */
import type { BatchHeader } from '@sallyport/contract'
import Fastify, { type FastifyServerOptions } from 'fastify'
import { createBatchParts } from '../../src/collector/batch-parts.ts'
import { collector } from '../../src/collector/collector.ts'
import { createIngest } from '../../src/collector/ingest.ts'
import { createLiveTail } from '../../src/live-tail/live-tail.ts'
import type { TrafficStore } from '../../src/traffic-store/connection.ts'
import { GATEWAY_TOKEN } from '../support/control.ts'
import { openSharedAccess } from '../support/feed.ts'

export interface TestCollector {
  readonly url: string
  close(): Promise<void>
}

export interface TestCollectorOptions {
  readonly retentionDays?: number
  readonly logger?: FastifyServerOptions['logger']
  readonly reported?: (header: BatchHeader) => void
}

/** Takes batches of whoever shows `GATEWAY_TOKEN`. */
export async function startCollector(
  store: Pick<TrafficStore, 'query' | 'insert'>,
  { retentionDays = 90, logger = false, reported = () => undefined }: TestCollectorOptions = {},
): Promise<TestCollector> {
  const ingest = createIngest({ store, retentionDaysOf: () => retentionDays, tail: createLiveTail() })
  const access = await openSharedAccess(GATEWAY_TOKEN)
  const server = Fastify({ logger })
  await server.register(collector({ ingest, parts: createBatchParts(store), access, reported }))
  return {
    url: await server.listen({ host: '127.0.0.1', port: 0 }),
    close: async () => {
      await server.close()
      await access.close()
    },
  }
}

/** A store that fails as if the process died after the rows of a batch were stored and before it was noted, while `dies` says so. */
export function dyingBeforeNoted(store: TrafficStore, dies: () => boolean): TrafficStore {
  return {
    ...store,
    insert: (insertion) =>
      dies() && insertion.table === 'stored_batches'
        ? Promise.reject(new Error('connection refused'))
        : store.insert(insertion),
  }
}
