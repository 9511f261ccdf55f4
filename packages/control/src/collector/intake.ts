/**
 * The intake: puts a batch into the traffic store, once however often it comes.
 *
 * A batch is one insert, named by its gateway and id. The store remembers the names of the last thousands of inserts
 * for the table and for every rollup, and drops a repetition in each that has taken it already, so that a repeat after
 * a crash in the middle completes what is missing and doubles nothing. Batches of different gateways are therefore
 * never merged into one insert: a repeat would not find its name again.
 */
import { setImmediate } from 'node:timers/promises'
import type { BatchHeader, TrafficEvent } from '@sallyport/contract'
import type { TrafficStore } from '../analytics/connection.ts'
import { INSERT_COLUMNS, rowOf } from '../analytics/request-columns.ts'
import type { BadLine, Batch } from './read-batch.ts'

export interface IntakeDependencies {
  readonly store: Pick<TrafficStore, 'insert'>
  /** For how many days an organization keeps its record. */
  readonly retentionDaysOf: (orgId: string) => number
  /** Told of events once they are stored; a repeated batch is told again. */
  readonly stored: (events: readonly TrafficEvent[]) => void
}

export interface Intake {
  /** Resolves once everything of the batch is stored or set aside. Rejects when the store is away: try again. */
  take(batch: Batch): Promise<void>
  /** Sets aside what can never be taken. `name` is the batch, as far as it is known. */
  setAside(name: Pick<BatchHeader, 'gatewayId' | 'batchId'>, badLines: readonly BadLine[]): Promise<void>
}

/** Events written down before others get their turn of the event loop. */
const EVENTS_A_TURN = 500

/** Settings of every insert: named, stored before it is acknowledged, whatever days its events fall on. */
const insertSettings = (name: string): string =>
  `SETTINGS insert_deduplication_token = '${name}', insert_deduplicate = 1, ` +
  'deduplicate_blocks_in_dependent_materialized_views = 1, async_insert = 0, max_partitions_per_insert_block = 0, ' +
  'max_insert_block_size = 1000000, input_format_parallel_parsing = 0'

export function createIntake({ store, retentionDaysOf, stored }: IntakeDependencies): Intake {
  const setAside: Intake['setAside'] = async ({ gatewayId, batchId }, badLines) => {
    if (badLines.length === 0) return
    const name = insertName(gatewayId, batchId || `unnamed ${Date.now()} ${Math.random()}`)
    const rows = badLines.map(({ line, reason, content }) =>
      JSON.stringify([Date.now(), gatewayId, batchId, line, reason, content.toWellFormed()]),
    )
    await store.insert(
      `INSERT INTO set_aside (time, gateway_id, batch_id, line, reason, content) ${insertSettings(name)} FORMAT JSONCompactEachRow`,
      rows.join('\n'),
    )
  }
  return {
    setAside,
    take: async ({ header, events, badLines }) => {
      await setAside(header, badLines)
      if (events.length === 0) return
      const name = insertName(header.gatewayId, header.batchId)
      const rows: string[] = []
      for (let start = 0; start < events.length; start += EVENTS_A_TURN) {
        if (start > 0) await setImmediate()
        const slice = events.slice(start, start + EVENTS_A_TURN)
        rows.push(slice.map((event) => rowOf(event, retentionDaysOf(event.orgId))).join('\n'))
      }
      await store.insert(
        `INSERT INTO requests (${INSERT_COLUMNS}) ${insertSettings(name)} FORMAT JSONCompactEachRow`,
        rows.join('\n'),
      )
      stored(events)
    },
  }
}

/** Hex, because it stands in the text of the statement. */
const insertName = (gatewayId: string, batchId: string): string =>
  Buffer.from(JSON.stringify([gatewayId, batchId])).toString('hex')
