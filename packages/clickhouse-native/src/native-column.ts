/**
 * A column of ClickHouse's `Native` format. It is filled entry by entry and then written for the entries that are picked, in any
 * order and as often as wanted: so what many rows share is one entry.
 */
import type { ByteWriter } from './byte-writer.ts'

/** Numbers of entries. */
export type Picks = Uint32Array

export interface NativeColumn<Value, Stored = Value> {
  /** The type, as the format names it. */
  readonly type: string
  add(value: Value): void
  /** What stands before all entries of the column; it is written even where there are none. */
  writeState(writer: ByteWriter): void
  writeEntries(writer: ByteWriter, picks: Picks): void
  /** What is stored of an entry. */
  at(entry: number): Stored
}

/** Arrays of numbers of one width. */
export type Numbers = Uint8Array | Uint16Array | Uint32Array
export type NumbersOf = new (length: number) => Numbers

/** The picked entries in an array of their width. */
export function pickNumbers(Kind: NumbersOf, entries: readonly number[], picks: Picks): Numbers {
  const picked = new Kind(picks.length)
  for (let place = 0; place < picks.length; place += 1) picked[place] = entries[picks[place] ?? 0] ?? 0
  return picked
}

/** Picks that follow each other, as the first and the last of each run. */
export function* runsOf(picks: Picks): Generator<[first: number, last: number]> {
  let first = 0
  for (let place = 1; place <= picks.length; place += 1)
    if (picks[place] !== (picks[place - 1] ?? 0) + 1) {
      yield [picks[first] ?? 0, picks[place - 1] ?? 0]
      first = place
    }
}

/** The entries from `first` up to, but without, `end`. */
export function range(first: number, end: number): Picks {
  const picks = new Uint32Array(Math.max(0, end - first))
  for (let place = 0; place < picks.length; place += 1) picks[place] = first + place
  return picks
}
