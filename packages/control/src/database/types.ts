/**
 * How values leave the database: instants as ISO 8601 strings with milliseconds, as the wire wants them, and 64-bit
 * integers as numbers (none of ours comes near 2^53).
 */
import { types } from 'pg'

/** `2026-11-02 09:30:00.1+00`, in the UTC that our connections ask for, as `2026-11-02T09:30:00.100Z`. */
function instantOf(text: string): string {
  const fraction = text.length > 22 ? text.slice(20, -3) : ''
  return `${text.slice(0, 10)}T${text.slice(11, 19)}.${fraction.padEnd(3, '0')}Z`
}

const PARSERS = new Map<number, (text: string) => unknown>([
  [types.builtins.TIMESTAMPTZ, instantOf],
  // A day has no time, and none of its own zone: it stays as it is written.
  [types.builtins.DATE, String],
  [types.builtins.INT8, Number],
])

/** An instant of a column as milliseconds since the epoch; null stays null. */
export const millisecondsOf = (instant: string | null): number | null =>
  instant === null ? null : Date.parse(instant)

/** The `types` option of a connection. */
export const columnTypes = {
  getTypeParser: (oid: number, format?: 'text' | 'binary') =>
    PARSERS.get(oid) ?? types.getTypeParser(oid, format ?? 'text'),
}
