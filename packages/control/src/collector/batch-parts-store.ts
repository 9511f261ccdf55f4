/** SQL of parts of batches, as they came, until the last one of their batch is there. */
import type { BatchHeader, BatchPart } from '@sallyport/contract'
import type { TrafficStore } from '../traffic-store/connection.ts'

/** A batch of a gateway. */
type PartedBatch = Pick<BatchHeader, 'gatewayId' | 'batchId'>

/** A part that is kept, and how many events are in it. */
export interface KeptPart extends Pick<BatchPart, 'first' | 'end'> {
  readonly events: number
}

const COLUMNS = ['time', 'gateway_id', 'batch_id', 'first', 'end', 'events', 'lines']

/** Keeps a part with its lines, which are compressed. */
export function insertPart(
  store: Pick<TrafficStore, 'insert'>,
  { gatewayId, batchId }: PartedBatch,
  { first, end, events }: KeptPart,
  lines: Uint8Array,
): Promise<void> {
  const text = Buffer.from(lines.buffer, lines.byteOffset, lines.byteLength).toString('base64')
  return store.insert({
    table: 'batch_parts',
    columns: COLUMNS,
    format: 'JSONCompactEachRow',
    rows: Buffer.from(`${JSON.stringify([Date.now(), gatewayId, batchId, first, end, events, text])}\n`),
    // A repeat is kept, too: the one before it may have been deleted meanwhile.
    name: crypto.randomUUID(),
  })
}

/** The parts that are kept of a batch, each once. */
export const readParts = (
  store: Pick<TrafficStore, 'query'>,
  { gatewayId, batchId }: PartedBatch,
): Promise<KeptPart[]> =>
  store.query<KeptPart>(
    `SELECT DISTINCT first, end, events FROM batch_parts
     WHERE gateway_id = {gatewayId:String} AND batch_id = {batchId:String}`,
    { gatewayId, batchId },
  )

/** The lines of a part, compressed; undefined where it is gone. */
export async function readPartLines(
  store: Pick<TrafficStore, 'query'>,
  { gatewayId, batchId }: PartedBatch,
  { first, end, events }: KeptPart,
): Promise<Buffer | undefined> {
  const rows = await store.query<{ lines: string }>(
    `SELECT lines FROM batch_parts WHERE gateway_id = {gatewayId:String} AND batch_id = {batchId:String}
     AND first = {first:UInt32} AND end = {end:UInt32} AND events = {events:UInt32} LIMIT 1`,
    { gatewayId, batchId, first, end, events },
  )
  return rows[0] && Buffer.from(rows[0].lines, 'base64')
}
