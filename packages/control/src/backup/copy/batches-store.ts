/** The last batch of each journal, of two stores: few rows, of which the newest of a journal alone counts. */
import type { TrafficReading } from '../traffic-pieces-store.ts'

/** Journals, as a store names them, of which the source knows a batch that the target does not know, nor a later one. */
export async function findMissingBatches(source: TrafficReading, target: TrafficReading): Promise<string[]> {
  const known = await lastBatches(target)
  return [...(await lastBatches(source))]
    .filter(([journal, batch]) => {
      const there = known.get(journal)
      return (
        !there || there.time < batch.time || (there.time === batch.time && there.batchId !== batch.batchId)
      )
    })
    .map(([journal]) => journal)
}

/** Journals that the target alone knows. */
export async function findForeignJournals(source: TrafficReading, target: TrafficReading): Promise<string[]> {
  const known = await lastBatches(source)
  return [...(await lastBatches(target)).keys()].filter((journal) => !known.has(journal))
}

interface LastBatch {
  readonly batchId: string
  /** Milliseconds since the epoch. */
  readonly time: number
}

async function lastBatches(store: TrafficReading): Promise<Map<string, LastBatch>> {
  const rows = await store.query<LastBatch & { journal: string }>(
    `SELECT gateway_id AS journal, batch_id AS batchId, toUnixTimestamp64Milli(stored_batches.time) AS time FROM stored_batches FINAL`,
  )
  return new Map(rows.map(({ journal, ...batch }) => [journal, batch]))
}
