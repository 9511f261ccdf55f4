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

/** After this long another control process may have taken batches of the gateway. */
const BELIEVED_MS = 60_000
/** Journals remembered in memory; of others the store is asked. */
const KNOWN_MAX = 10_000
const COLUMNS = ['gateway_id', 'batch_id', 'time']

export function createStoredBatches(store: Pick<TrafficStore, 'query' | 'insert'>): StoredBatches {
  const known = new BoundedCache<string, { readonly batchId: string | undefined; readonly until: number }>(
    KNOWN_MAX,
  )
  const remember = (gatewayId: string, batchId: string | undefined): void => {
    known.set(gatewayId, { batchId, until: Date.now() + BELIEVED_MS })
  }
  const lastOf = async (gatewayId: string): Promise<string | undefined> => {
    const last = known.get(gatewayId)
    if (last && last.until > Date.now()) return last.batchId
    const rows = await store.query<{ last: string }>(
      'SELECT argMax(batch_id, time) AS last FROM stored_batches WHERE gateway_id = {gatewayId:String} HAVING count() > 0',
      { gatewayId },
    )
    remember(gatewayId, rows[0]?.last)
    return rows[0]?.last
  }
  return {
    has: async (batch) => (await lastOf(journalOf(batch))) === batch.batchId,
    add: async (batch) => {
      const { batchId } = batch
      const gatewayId = journalOf(batch)
      const name = Buffer.from(JSON.stringify(['stored', gatewayId, batchId])).toString('hex')
      await store.insert({
        table: 'stored_batches',
        columns: COLUMNS,
        format: 'JSONCompactEachRow',
        rows: Buffer.from(`${JSON.stringify([gatewayId, batchId, Date.now()])}\n`),
        name,
      })
      remember(gatewayId, batchId)
    },
  }
}

/** What stands for a journal in the column of gateways: the first is called like its gateway, and no gateway has a slash in its name. */
const journalOf = ({ gatewayId, journalNumber = 0 }: BatchName): string =>
  journalNumber === 0 ? gatewayId : `${gatewayId}/${journalNumber}`
