/** A migrated traffic store in a temporary directory, and events to put into it. One store per test file. */
import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { BATCH_FORMAT, type BatchHeader, emptyEvent, type TrafficEvent } from '@sallyport/contract'
import { batchLines } from '../../../../test/support/batch-lines.ts'
import { copyPreparedStore } from '../../../../test/support/prepared-store.ts'
import { BatchObservations } from '../../src/collector/batch-observations.ts'
import type { BadLine } from '../../src/collector/batch-reader/read-batch.ts'
import type { Ingest } from '../../src/collector/ingest.ts'
import { openTrafficStore, type TrafficStore } from '../../src/traffic-store/connection.ts'
import { migrateTrafficStore } from '../../src/traffic-store/migrate.ts'
import { RequestBlock } from '../../src/traffic-store/request-block.ts'

/** The rollups with a column of requests. */
export const REQUEST_ROLLUPS = [
  'traffic_minutes',
  'traffic_hours',
  'activity_hours',
  'urls_ten_minutes',
  'urls_three_hours',
  'urls_days',
]

export interface TemporaryStore {
  readonly store: TrafficStore
  readonly folder: string
  remove(): Promise<void>
}

export async function openTemporaryStore(): Promise<TemporaryStore> {
  const folder = mkdtempSync(join(tmpdir(), 'sallyport-traffic-'))
  copyPreparedStore(folder)
  const store = await openTrafficStore({ dataDir: folder })
  await migrateTrafficStore(store)
  return {
    store,
    folder,
    remove: async () => {
      await store.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** Puts a batch into the store, as the collector does once it has read one. */
export function storeBatch(
  ingest: Ingest,
  batch: {
    readonly header: BatchHeader
    readonly events: readonly TrafficEvent[]
    readonly badLines: readonly BadLine[]
  },
): Promise<void> {
  const block = new RequestBlock()
  const observations = new BatchObservations()
  for (const event of batch.events) {
    block.add(event, event)
    observations.add(event, event)
  }
  return ingest.store({
    ...batch,
    count: block.count,
    firstTime: Math.min(...batch.events.map(({ time }) => time)),
    orgIds: block.orgIds,
    rows: async ({ first, end }, retentionDays) => block.rows(retentionDays, first, end),
    observations: async (retentionDays) => observations.block(retentionDays),
    events: async ({ first, end }, orgIds) => block.events(orgIds, first, end),
  })
}

/** An event that is ordinary but for what is given. */
export const event = (given: Partial<TrafficEvent> = {}): TrafficEvent => ({
  ...emptyEvent(),
  id: randomUUID(),
  time: Date.now(),
  orgId: 'org-a',
  siteId: 'site-a',
  gatewayId: 'gateway-a',
  researcherId: 'researcher-a',
  credential: 'key',
  credentialId: 'abcdef012345',
  clientAddress: '192.0.2.7',
  httpVersion: '1.1',
  tls: 'TLSv1.3',
  method: 'GET',
  scheme: 'https',
  host: 'shop.gate.example',
  target: '/orders/7?page=2',
  path: '/orders/7',
  route: '/orders/{id}',
  queryNames: ['page'],
  status: 200,
  outcome: 'origin',
  requestBytes: 312,
  responseBytes: 4_096,
  durationUs: 15_000,
  firstByteUs: 12_000,
  userAgent: 'curl/8.5.0',
  tool: 'curl',
  inspection: 'full',
  ...given,
})

export const hit = (given: Partial<TrafficEvent['hits'][number]> = {}): TrafficEvent['hits'][number] => ({
  rule: 'crs-942-100',
  class: 'sql_injection',
  severity: 'high',
  part: 'query',
  parameter: 'page',
  excerpt: "' or 1=1 --",
  excluded: false,
  scorePercent: 98,
  reason: 'SQL injection, comment to the end',
  ...given,
})

/** The head of a batch of so many events. */
const batchHeader = (events: number, given: Partial<BatchHeader> = {}): BatchHeader => ({
  format: BATCH_FORMAT,
  gatewayId: 'gateway-a',
  batchId: randomUUID(),
  revision: 1,
  events,
  assertionKeys: { keys: [] },
  health: [],
  journal: { pending: 0, pendingBytes: 0, damagedBytes: 0 },
  ...given,
})

/** A batch of events as the collector has read it. */
export const eventBatch = (events: readonly TrafficEvent[], header: Partial<BatchHeader> = {}) => ({
  header: batchHeader(events.length, header),
  events,
  badLines: [],
})

/** A batch as a gateway posts it. What is text instead of an event is a line of its own. */
export function batchBody(
  events: readonly (TrafficEvent | string)[],
  header: Partial<BatchHeader> = {},
): string {
  const valid = events.filter((line) => typeof line !== 'string')
  const text = events.filter((line) => typeof line === 'string')
  const first = batchHeader(events.length, { revision: 7, ...header })
  return [JSON.stringify(first), ...batchLines(valid), ...text].join('\n')
}

/** A batch of 100 events of one gateway, told from others by its number: in its id, and as the path of its events. */
export const numberedBatch = (name: number) =>
  eventBatch(
    Array.from({ length: 100 }, () => event({ path: `/batch/${name}` })),
    { batchId: `batch-${name}` },
  )
