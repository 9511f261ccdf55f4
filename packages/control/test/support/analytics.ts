/** The analytics over a store of a test file's own. */
import { after } from 'node:test'
import type { TrafficEvent } from '@sallyport/contract'
import { createIngest } from '../../src/collector/ingest.ts'
import { type AnalyticsDeps, createAnalyticsService } from '../../src/features/analytics/service.ts'
import { createLiveTail } from '../../src/live-tail/live-tail.ts'
import { eventBatch, openTemporaryStore, storeBatch } from './traffic.ts'

export interface AnalyticsOptions extends Partial<Pick<AnalyticsDeps, 'sitesOf'>> {
  /** What the service takes for now, in milliseconds since the epoch. */
  readonly now: number
  readonly retentionDays?: number
}

/** `record` stores a batch of events. The store is removed after the tests of the file. */
export async function openAnalytics({ now, sitesOf = async () => [], retentionDays = 90 }: AnalyticsOptions) {
  const { store, remove } = await openTemporaryStore()
  after(remove)
  const tail = createLiveTail()
  const service = createAnalyticsService({
    ...{ store, sitesOf, gateDomain: 'gate.example', tail },
    keptFrom: () => now - retentionDays * 86_400_000,
    now: () => now,
  })
  const ingest = createIngest({ store, retentionDaysOf: () => retentionDays, tail })
  const record = (events: readonly TrafficEvent[]) => storeBatch(ingest, eventBatch(events))
  return { service, tail, record, store }
}
