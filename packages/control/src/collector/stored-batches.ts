/**
 * The last batch that was stored of each journal of each gateway. The store knows a repeated insert by its name only among the last
 * thousands; a gateway that got no acknowledgement and then was away for a day repeats its batch after more than that.
 * It repeats its last one, always, of each of its journals: so remembering one batch a journal is enough, for ever.
 */
import type { BatchHeader } from '@sallyport/contract'
import { BoundedCache } from '@sallyport/toolbox'
import type { TrafficStore } from '../traffic-store/connection.ts'

type BatchName = Pick<BatchHeader, 'gatewayId' | 'batchId' | 'journalNumber'>

export interface StoredBatches {
  /** Whether this batch is the last one that was stored of its journal. */
  has(batch: BatchName): Promise<boolean>
  /** Notes that a batch is stored. */
  add(batch: BatchName): Promise<void>
}

interface LastBatch {
  readonly batchId: string | undefined
  /** Since the epoch. */
  readonly timeMs: number
}

const NONE: LastBatch = { batchId: undefined, timeMs: 0 }
/** After this long another control process may have taken batches of the gateway. */
const BELIEVED_MS = 60_000
/** Journals remembered in memory; of others the store is asked. */
const KNOWN_MAX = 10_000
const COLUMNS = ['gateway_id', 'batch_id', 'time']

export function createStoredBatches(store: Pick<TrafficStore, 'query' | 'insert'>): StoredBatches {
  const known = new BoundedCache<string, LastBatch & { readonly until: number }>(KNOWN_MAX)
  const remember = (gatewayId: string, last: LastBatch): void => {
    known.set(gatewayId, { ...last, until: performance.now() + BELIEVED_MS })
  }
  const lastOf = async (gatewayId: string): Promise<LastBatch> => {
    const remembered = known.get(gatewayId)
    if (remembered && remembered.until > performance.now()) return remembered
    const rows = await store.query<LastBatch>(
      `SELECT argMax(batch_id, time) AS batchId, toUnixTimestamp64Milli(max(time)) AS timeMs
       FROM stored_batches WHERE gateway_id = {gatewayId:String} HAVING count() > 0`,
      { gatewayId },
    )
    const last = rows[0] ?? NONE
    remember(gatewayId, last)
    return last
  }
  return {
    has: async (batch) => (await lastOf(journalOf(batch))).batchId === batch.batchId,
    add: async (batch) => {
      const { batchId } = batch
      const gatewayId = journalOf(batch)
      // The latest is the last one, also where the clock of this machine, or of another control process, went back.
      const timeMs = Math.max(Date.now(), (await lastOf(gatewayId)).timeMs + 1)
      const name = Buffer.from(JSON.stringify(['stored', gatewayId, batchId])).toString('hex')
      await store.insert({
        table: 'stored_batches',
        columns: COLUMNS,
        format: 'JSONCompactEachRow',
        rows: Buffer.from(`${JSON.stringify([gatewayId, batchId, timeMs])}\n`),
        name,
      })
      remember(gatewayId, { batchId, timeMs })
    },
  }
}

/** What stands for a journal in the column of gateways: the first is called like its gateway, and no gateway has a slash in its name. */
const journalOf = ({ gatewayId, journalNumber = 0 }: BatchName): string =>
  journalNumber === 0 ? gatewayId : `${gatewayId}/${journalNumber}`
