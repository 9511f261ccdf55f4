/**
 * Stores a batch in the traffic store, once however often it comes.
 *
 * A batch is one insert, named by its gateway and id. The store remembers the names of the last thousands of inserts
 * for the table and for every rollup, and drops a repetition in each that has it already, so that a repeat after
 * a crash in the middle completes what is missing and doubles nothing. Batches of different gateways are therefore
 * never merged into one insert: a repeat would not find its name again. A repeat that comes after more inserts than that
 * is found among the stored batches.
 */
import type { BatchHeader } from '@sallyport/contract'
import { GrowingBuffer } from '@sallyport/toolbox'
import type { LiveTail } from '../live-tail/live-tail.ts'
import type { TrafficStore } from '../traffic-store/connection.ts'
import type { GatheredBatch, RetentionDays } from './batch-reader/gathered-batch.ts'
import type { BadLine } from './batch-reader/read-batch.ts'
import { insertRows, type RefusedRow } from './insert-rows.ts'
import { OBSERVATION_COLUMNS } from './observation-rows.ts'
import { createStoredBatches } from './stored-batches.ts'

export interface IngestDependencies {
  readonly store: Pick<TrafficStore, 'insert' | 'query'>
  /** For how many days an organization keeps its record. */
  readonly retentionDaysOf: (orgId: string) => number
  /** Gets the events that somebody follows once they are stored. */
  readonly tail: Pick<LiveTail, 'publish' | 'isFollowed'>
  /** Hears of what was stored. */
  readonly observe?: IngestObserver
  /** Hears which organizations have new events, and when the first of them began, milliseconds since the epoch. */
  readonly stored?: (orgIds: readonly string[], first: number) => void
}

export interface IngestObserver {
  batch(result: 'stored' | 'duplicate'): void
  /** How many events, and how long ago the first of them had ended. */
  delivered(events: number, seconds: number): void
  quarantinedLines(count: number): void
}

export interface Ingest {
  /** Resolves once everything of the batch is stored or quarantined. Rejects when the store is away: try again. */
  store(batch: GatheredBatch): Promise<void>
  /** Keeps what can never be stored, with its reason. `name` is the batch, as far as it is known. */
  quarantine(name: Pick<BatchHeader, 'gatewayId' | 'batchId'>, badLines: readonly BadLine[]): Promise<void>
}

/** Events for the live tail that are handed over at once. */
const EVENTS_A_TURN = 500
/** What rows of quarantined lines take, mostly. */
const FIRST_BYTES = 64 * 1024
const QUARANTINE_COLUMNS = ['time', 'gateway_id', 'batch_id', 'line', 'reason', 'content']

export function createIngest({ store, retentionDaysOf, tail, observe, stored }: IngestDependencies): Ingest {
  const storedBatches = createStoredBatches(store)
  const insertQuarantined = async (
    name: string,
    { gatewayId, batchId }: Pick<BatchHeader, 'gatewayId' | 'batchId'>,
    badLines: readonly BadLine[],
  ): Promise<void> => {
    if (badLines.length === 0) return
    const rows = new GrowingBuffer(FIRST_BYTES)
    for (const { line, reason, content } of badLines)
      rows.appendLine(JSON.stringify([Date.now(), gatewayId, batchId, line, reason, content.toWellFormed()]))
    await store.insert({
      table: 'set_aside',
      columns: QUARANTINE_COLUMNS,
      format: 'JSONCompactEachRow',
      rows: rows.bytes,
      name,
    })
    observe?.quarantinedLines(badLines.length)
  }
  const quarantine: Ingest['quarantine'] = ({ gatewayId, batchId }, badLines) => {
    const name = insertName(gatewayId, batchId || `unnamed ${Date.now()} ${Math.random()}`)
    return insertQuarantined(name, { gatewayId, batchId }, badLines)
  }
  return {
    quarantine,
    store: async (batch) => {
      const { header, badLines, count, orgIds } = batch
      if (await storedBatches.has(header)) return observe?.batch('duplicate')
      await quarantine(header, badLines)
      if (count === 0) return
      const name = insertName(header.gatewayId, header.batchId)
      const retentionDays = new Map(orgIds.map((orgId) => [orgId, retentionDaysOf(orgId)]))
      const refused = await insertRows(store, batch, retentionDays, name, { first: 0, end: count })
      await insertQuarantined(`${name}-refused`, header, await badLinesOf(batch, refused))
      await insertObservations(store, batch, retentionDays, name)
      await storedBatches.add(header)
      observe?.batch('stored')
      if (observe) observe.delivered(count, await ageOfFirst(batch))
      stored?.(orgIds, batch.firstTime)
      await publish(batch, tail)
    },
  }
}

/** Under the name of the batch, so that a repetition counts nothing twice. */
async function insertObservations(
  store: IngestDependencies['store'],
  batch: GatheredBatch,
  retentionDays: RetentionDays,
  name: string,
): Promise<void> {
  const rows = await batch.observations(retentionDays)
  const columns = OBSERVATION_COLUMNS
  if (rows.length > 0)
    await store.insert({
      table: 'api_observations',
      columns,
      format: 'Native',
      rows,
      name,
      isMerged: true,
    })
}

/** What the store refused, each with the request itself. */
const badLinesOf = (batch: GatheredBatch, refused: readonly RefusedRow[]): Promise<BadLine[]> =>
  Promise.all(
    refused.map(async ({ row, reason }) => {
      const [event] = await batch.events({ first: row, end: row + 1 }, new Set(batch.orgIds))
      return { line: 0, reason, content: JSON.stringify(event) }
    }),
  )

/** How long ago the first request of a batch had ended, in seconds, by the clocks of both sides. */
async function ageOfFirst(batch: GatheredBatch): Promise<number> {
  const [first] = await batch.events({ first: 0, end: 1 }, new Set(batch.orgIds))
  return first ? (Date.now() - first.time - first.durationUs / 1_000) / 1_000 : 0
}

/** Hands the events that somebody follows to the live tail, some at a time so that others have their turn between them. */
async function publish(batch: GatheredBatch, tail: IngestDependencies['tail']): Promise<void> {
  const followed = new Set(batch.orgIds.filter((orgId) => tail.isFollowed(orgId)))
  if (followed.size === 0) return
  for (let first = 0; first < batch.count; first += EVENTS_A_TURN) {
    const span = { first, end: Math.min(first + EVENTS_A_TURN, batch.count) }
    tail.publish(await batch.events(span, followed))
  }
}

/** Hex, because it stands in the text of the statement. */
const insertName = (gatewayId: string, batchId: string): string =>
  Buffer.from(JSON.stringify([gatewayId, batchId])).toString('hex')
