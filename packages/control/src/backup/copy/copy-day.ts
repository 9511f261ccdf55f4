/** A day of a table, from one store into another. */
import { randomUUID } from 'node:crypto'
import { backOffMs, pause } from '@sallyport/toolbox'
import { StoreUnavailable, type TrafficStore } from '../../traffic-store/connection.ts'
import {
  insertPiece,
  type RowFilter,
  readTablePieces,
  type TrafficReading,
  type TrafficTable,
} from '../traffic-pieces-store.ts'
import { findMissingBatches } from './batches-store.ts'
import { CopyRefused } from './copy-refused.ts'
import { type DaySum, type DayTable, findForeign, ofDay, ofOwners, sumDay } from './days-store.ts'
import { deleteDay, findSummed, findUnsummed } from './rollups-store.ts'

/** What the copy of each day needs. */
export interface DayCopy {
  readonly source: TrafficReading
  readonly target: TrafficStore
  readonly columns: Readonly<Record<string, readonly string[]>>
  /**
   * Rows count that are kept until after this moment, in seconds since the epoch. It is later than the copy will end: what is deleted by
   * its age meanwhile may be gone from one store and not yet from the other.
   */
  readonly keptUntil: number
  readonly signal: AbortSignal
}

/** Organizations whose rows are read by one statement. */
const OWNERS_AT_ONCE = 200
const ATTEMPTS_MAX = 8
const RETRY = { minMs: 250, maxMs: 10_000 }

/** Brings a day of the target to what the source has, and returns how many rows were copied. */
export async function copyDay(copy: DayCopy, table: DayTable, day: number, rows: number): Promise<number> {
  copy.signal.throwIfAborted()
  const { wrong, filled } = await compareDay(copy, table, day, rows)
  let copied = 0
  for (let first = 0; first < wrong.length; first += OWNERS_AT_ONCE) {
    const owners = wrong.slice(first, first + OWNERS_AT_ONCE)
    const bare = owners.filter((owner) => !filled.has(owner))
    const summed = table.name === 'requests' ? await findSummed(copy.target, table, day, bare) : []
    await empty(copy, table, day, [...owners.filter((owner) => filled.has(owner)), ...summed])
    copied += await copyRows(copy, table, ofOwners(table, ofDay(table, day, copy.keptUntil), owners))
  }
  return copied
}

/** What is not the same of a day, in words. */
export async function differingDay(
  copy: DayCopy,
  table: DayTable,
  day: number,
  rows: number,
): Promise<string[]> {
  const { wrong, wanted, filled } = await compareDay(copy, table, day, rows)
  return wrong.map((owner) => {
    const [there, here] = [wanted.get(owner)?.rows ?? 0, filled.get(owner)?.rows ?? 0]
    const what =
      there === here ? `${there} rows, and other content or sums` : `${there} rows, and ${here} in the target`
    return `${owner && `organization ${owner}: `}${what}`
  })
}

interface Comparison {
  /** Organizations whose day is not the same. */
  readonly wrong: readonly string[]
  readonly wanted: ReadonlyMap<string, DaySum>
  /** What the target has. */
  readonly filled: ReadonlyMap<string, DaySum>
}

async function compareDay(
  { source, target, columns, keptUntil }: DayCopy,
  table: DayTable,
  day: number,
  rows: number,
): Promise<Comparison> {
  const names = columns[table.name] ?? []
  const span = { day, keptUntil, rows }
  const [wanted, filled] = await Promise.all([
    sumDay(source, table, names, span),
    sumDay(target, table, names, span),
  ])
  const differing = [...wanted]
    .filter(([owner, { rows, checksum }]) => {
      const there = filled.get(owner)
      return there?.rows !== rows || there.checksum !== checksum
    })
    .map(([owner]) => owner)
  const unsummed = table.name === 'requests' ? await findUnsummed(target, table, span) : []
  const wrong = new Set([...differing, ...unsummed.filter((owner) => wanted.has(owner))])
  return { wrong: [...wrong].toSorted(), wanted, filled }
}

/** Deletes what a run that was cut off has left of a day. Throws a `CopyRefused` where something else is among it. */
async function empty(copy: DayCopy, table: DayTable, day: number, owners: readonly string[]): Promise<void> {
  if (owners.length === 0) return
  const { source, target, keptUntil, signal } = copy
  const rows = await countOf(target, table, day, owners)
  const [foreign] = await findForeign({ source, target }, table, { day, keptUntil, rows }, owners)
  if (foreign !== undefined)
    throw new CopyRefused(
      `the target holds rows of ${table.name} of ${new Date(day * 1000).toISOString().slice(0, 10)}${foreign && ` of organization ${foreign}`} that the source does not have: nothing of that day was changed`,
    )
  await deleteDay(target, table, { day, owners, signal })
}

async function countOf(
  store: TrafficReading,
  table: DayTable,
  day: number,
  owners: readonly string[],
): Promise<number> {
  const sums = await sumDay(store, table, ['time'], { day, keptUntil: 0, rows: 0 })
  return owners.reduce((count, owner) => count + (sums.get(owner)?.rows ?? 0), 0)
}

async function copyRows(
  copy: DayCopy,
  table: { readonly name: TrafficTable },
  filter: RowFilter,
): Promise<number> {
  const { source, target, signal, columns } = copy
  const names = columns[table.name] ?? []
  // What is copied again was deleted, and its name must not be one that the store remembers.
  const run = randomUUID()
  let copied = 0
  let number = 0
  for await (const { rows, data } of readTablePieces(source, table.name, names, filter)) {
    signal.throwIfAborted()
    number += 1
    const name = `copy-${run}-${number}`
    await withRetries(signal, () => insertPiece(target, table.name, names, data, name))
    copied += rows
  }
  return copied
}

/** Copies the last batch of each journal, of which the newest wins by itself, and returns how many there are. */
export async function copyBatches(copy: DayCopy): Promise<number> {
  const table = { name: 'stored_batches' } as const
  const rows = await copyRows(copy, table, { condition: '1', parameters: {} })
  const missing = await findMissingBatches(copy.source, copy.target)
  if (missing.length > 0) throw new Error(`the last batches of ${missing.join(', ')} were not copied`)
  return rows
}

/** An insert whose end is not known is made again under its name. */
async function withRetries(signal: AbortSignal, act: () => Promise<void>): Promise<void> {
  for (let failures = 0; ; failures++)
    try {
      return await act()
    } catch (error) {
      if (!(error instanceof StoreUnavailable) || failures + 1 >= ATTEMPTS_MAX) throw error
      await pause(backOffMs(failures, RETRY), signal)
      signal.throwIfAborted()
    }
}
