/**
 * Inserts the rows of a batch. Everything in a batch was checked before, so the store has no reason to refuse what a row
 * says; but if it does, it would refuse it for ever, and the gateway sends nothing else before. So the rows are then
 * halved until those that are refused stand alone.
 *
 * A refused insert stores nothing, and the same rows are refused the next time, so a repetition halves alike and finds
 * the names of its pieces again.
 */
import { ClickHouseError } from '@clickhouse/client'
import type { TrafficStore } from '../analytics/connection.ts'
import type { Insertion } from '../analytics/insertion.ts'

/** A row that the store does not take, and what it says. */
export interface RefusedRow {
  readonly row: string
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
  insertion: Insertion,
): Promise<RefusedRow[]> {
  try {
    await store.insert(insertion)
    return []
  } catch (error) {
    if (!(error instanceof ClickHouseError && DATA_CODES.has(error.code))) throw error
    const rows = insertion.rows.toString('utf8').trimEnd().split('\n')
    if (rows.length === 1) return [{ row: rows[0] ?? '', reason: error.message.slice(0, REASON_CHARS_MAX) }]
    const middle = Math.ceil(rows.length / 2)
    const piece = (half: readonly string[], name: string): Promise<RefusedRow[]> =>
      insertRows(store, {
        ...insertion,
        rows: Buffer.from(`${half.join('\n')}\n`),
        name: insertion.name + name,
      })
    // One after the other: a piece may be large, and the memory for it is there once.
    const first = await piece(rows.slice(0, middle), '-1')
    return [...first, ...(await piece(rows.slice(middle), '-2'))]
  }
}
