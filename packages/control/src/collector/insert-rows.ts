/**
 * Inserts the rows of a batch. Everything in a batch was checked before, so the store has no reason to refuse what a row
 * says; but if it does, it would refuse it for ever, and the gateway sends nothing else before. So the rows are then
 * halved until those that are refused stand alone.
 *
 * A refused insert stores nothing, and the same rows are refused the next time, so a repetition halves alike and finds
 * the names of its pieces again.
 */
import { ClickHouseError } from '@clickhouse/client'
import type { TrafficStore } from '../traffic-store/connection.ts'
import { INSERT_COLUMNS } from '../traffic-store/request-columns.ts'
import type { GatheredBatch, RetentionDays, Span } from './batch-reader/gathered-batch.ts'

/** A request that the store does not take, and what the store says. */
export interface RefusedRow {
  readonly row: number
  readonly reason: string
}

/**
 * Codes of ClickHouse for data that it cannot read or may not store: texts, quoted texts, input, dates, types, times,
 * numbers, incorrect data, arrays, long texts, sizes of arrays, ranges, nulls, UUIDs, booleans, constraints, enumerations.
 */
const DATA_CODES = new Set(
  [6, 26, 27, 38, 41, 53, 72, 117, 130, 131, 190, 321, 349, 376, 467, 469, 691].map(String),
)
const REASON_CHARS_MAX = 500

/** Resolves with the rows that were refused once all others are stored. Rejects when the store is away: try again. */
export async function insertRows(
  store: Pick<TrafficStore, 'insert'>,
  batch: Pick<GatheredBatch, 'rows'>,
  retentionDays: RetentionDays,
  name: string,
  span: Span,
): Promise<RefusedRow[]> {
  try {
    const rows = await batch.rows(span, retentionDays)
    await store.insert({ table: 'requests', columns: INSERT_COLUMNS, format: 'Native', rows, name })
    freeNow(rows)
    return []
  } catch (error) {
    if (!(error instanceof ClickHouseError && DATA_CODES.has(error.code))) throw error
    const { first, end } = span
    if (end - first === 1) return [{ row: first, reason: error.message.slice(0, REASON_CHARS_MAX) }]
    const middle = Math.ceil((first + end) / 2)
    // One after the other: a piece may be large, and the memory for it is there once.
    const refused = await insertRows(store, batch, retentionDays, `${name}-1`, { first, end: middle })
    return [
      ...refused,
      ...(await insertRows(store, batch, retentionDays, `${name}-2`, { first: middle, end })),
    ]
  }
}

/** Left to the garbage collector, the megabytes of each batch would make it go through the whole heap while the API waits. */
function freeNow(rows: Buffer<ArrayBuffer>): void {
  rows.buffer.transfer(0)
}
