/**
 * The intake: puts a batch into the traffic store, once however often it comes.
 *
 * A batch is one insert, named by its gateway and id. The store remembers the names of the last thousands of inserts
 * for the table and for every rollup, and drops a repetition in each that has taken it already, so that a repeat after
 * a crash in the middle completes what is missing and doubles nothing. Batches of different gateways are therefore
 * never merged into one insert: a repeat would not find its name again. A repeat that comes after more inserts than that
 * is found among the stored batches.
 */
import type { BatchHeader } from '@sallyport/contract'
import type { TrafficStore } from '../analytics/connection.ts'
import type { LiveTail } from '../analytics/live-tail.ts'
import { INSERT_COLUMNS } from '../analytics/request-columns.ts'
import { Gathering, type GatheringDependencies } from './gathering.ts'
import { insertRows } from './insert-rows.ts'
import type { BadLine } from './read-batch.ts'
import { RowDraft } from './row-draft.ts'
import { createStoredBatches } from './stored-batches.ts'

export interface IntakeDependencies extends GatheringDependencies {
  readonly store: Pick<TrafficStore, 'insert' | 'query'>
  /** Told of the events that it follows once they are stored. */
  readonly tail: Pick<LiveTail, 'publish' | 'isFollowed'>
}

export interface Intake {
  /** Begins to gather the events of a batch. */
  gather(): Gathering
  /** Resolves once everything of the batch is stored or set aside. Rejects when the store is away: try again. */
  take(header: BatchHeader, gathering: Gathering, badLines: readonly BadLine[]): Promise<void>
  /** Sets aside what can never be taken. `name` is the batch, as far as it is known. */
  setAside(name: Pick<BatchHeader, 'gatewayId' | 'batchId'>, badLines: readonly BadLine[]): Promise<void>
}

const SET_ASIDE_COLUMNS = ['time', 'gateway_id', 'batch_id', 'line', 'reason', 'content']

export function createIntake(dependencies: IntakeDependencies): Intake {
  const { store, tail } = dependencies
  const storedBatches = createStoredBatches(store)
  const keepAside = async (
    name: string,
    { gatewayId, batchId }: Pick<BatchHeader, 'gatewayId' | 'batchId'>,
    badLines: readonly BadLine[],
  ): Promise<void> => {
    if (badLines.length === 0) return
    const rows = new RowDraft()
    for (const { line, reason, content } of badLines)
      rows.add(JSON.stringify([Date.now(), gatewayId, batchId, line, reason, content.toWellFormed()]))
    await store.insert({ table: 'set_aside', columns: SET_ASIDE_COLUMNS, rows: rows.bytes, name })
  }
  const setAside: Intake['setAside'] = ({ gatewayId, batchId }, badLines) => {
    const name = insertName(gatewayId, batchId || `unnamed ${Date.now()} ${Math.random()}`)
    return keepAside(name, { gatewayId, batchId }, badLines)
  }
  return {
    setAside,
    gather: () => new Gathering(dependencies),
    take: async (header, { rows, followed }, badLines) => {
      if (await storedBatches.has(header)) return
      await setAside(header, badLines)
      if (rows.count === 0) return
      const name = insertName(header.gatewayId, header.batchId)
      const insertion = { table: 'requests', columns: INSERT_COLUMNS, rows: rows.bytes, name } as const
      const refused = await insertRows(store, insertion)
      await keepAside(
        `${name}-refused`,
        header,
        refused.map(({ row, reason }) => ({ line: 0, reason, content: row })),
      )
      await storedBatches.add(header)
      tail.publish(followed)
    },
  }
}

/** Hex, because it stands in the text of the statement. */
const insertName = (gatewayId: string, batchId: string): string =>
  Buffer.from(JSON.stringify([gatewayId, batchId])).toString('hex')
