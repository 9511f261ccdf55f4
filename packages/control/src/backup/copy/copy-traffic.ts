/**
 * The record of one traffic store into another: from the engine on a folder to a server, or from a server to another.
 *
 * What is copied, compared and, where a run was cut off, begun again is a day of an organization. A day that is equal in both stores
 * is left alone, so a copy goes on where it stopped, and may be made while the source is still written to: the last run, with
 * nobody writing, copies what is left. A day that differs is deleted from the target first, with what was summed up of it, and only
 * if the target has no row of it that the source does not have. Each piece is an insert under a name of its own, repeated under that
 * name, so that none counts twice.
 */
import { createTrafficLedger } from '../../database/ledger/traffic-ledger.ts'
import {
  openTrafficStore,
  type TrafficStore,
  type TrafficStoreLocation,
} from '../../traffic-store/connection.ts'
import { findStoreId } from '../../traffic-store/migrate.ts'
import { migrateUnderLock } from '../../traffic-store/migrate-under-lock.ts'
import { readTrafficColumns, type TrafficReading } from '../traffic-pieces-store.ts'
import { findForeignJournals } from './batches-store.ts'
import { requireRightClock, requireSomethingKept } from './copy-clock.ts'
import { copyBatches, copyDay, type DayCopy, differingDay } from './copy-day.ts'
import { CopyRefused } from './copy-refused.ts'
import { DAY_TABLES, type DayTable, readDays } from './days-store.ts'

/** From where, to where, and the database under whose lock the target is migrated. */
export interface CopySettings {
  readonly from: TrafficStoreLocation
  readonly to: TrafficStoreLocation
  readonly migrationDatabaseUrl: string
}

export interface CopyOptions {
  /** Also into a store that holds other organizations, days or gateways; they are left alone. */
  readonly isBesideOthers: boolean
  /** Ends the copy between two pieces. */
  readonly signal: AbortSignal
  /** Hears of each day that is done. */
  readonly progress: (line: string) => void
}

export interface CopyResult {
  /** Rows of the source, by table, and those of them that were copied by this run. */
  readonly tables: Readonly<Record<string, { readonly rows: number; readonly copied: number }>>
  /** What is not the same in both stores at the end, a line each. */
  readonly differences: readonly string[]
}

const DAY_SECONDS = 86_400

/**
 * Copies everything, and compares it. Throws a `CopyRefused` where the target holds something else, and an `AbortError` where it was
 * stopped; run again, it goes on.
 */
export async function copyTraffic(settings: CopySettings, options: CopyOptions): Promise<CopyResult> {
  const source = await openSource(settings.from)
  try {
    const target = await openTrafficStore(settings.to)
    try {
      await requireAnother(source, target)
      await requireRightClock([source, target])
      await migrateUnderLock(target, createTrafficLedger(settings.migrationDatabaseUrl), options)
      return await copyAll(source, target, options)
    } finally {
      await target.close()
    }
  } finally {
    await source.close()
  }
}

/** The engine on a folder belongs to the control plane that runs. */
async function openSource(location: TrafficStoreLocation): Promise<TrafficStore> {
  if ('url' in location) return openTrafficStore(location)
  return openTrafficStore(location).catch((error: Error) => {
    throw new CopyRefused(`${error.message} Stop the control plane, then copy.`, { cause: error })
  })
}

async function copyAll(
  source: TrafficReading,
  target: TrafficStore,
  options: CopyOptions,
): Promise<CopyResult> {
  const { signal, progress, isBesideOthers } = options
  const columns = await readTrafficColumns(source)
  await requireColumns(columns, target)
  const copy: DayCopy = {
    ...{ source, target, columns, signal },
    keptUntil: Math.floor(Date.now() / 1000) + DAY_SECONDS,
  }
  const tables = DAY_TABLES.filter(({ name }) => columns[name])
  await requireSomethingKept(source, tables)
  if (!isBesideOthers) await requireNothingElse(copy, tables)

  const copied: Record<string, { rows: number; copied: number }> = {}
  if (columns.stored_batches) {
    const batches = await copyBatches(copy)
    copied.stored_batches = { rows: batches, copied: batches }
  }
  for (const table of tables) {
    const days = await daysOf(copy, table)
    let rows = 0
    let copiedRows = 0
    for (const [index, [day, count]] of days.entries()) {
      const added = await copyDay(copy, table, day, count)
      rows += count
      copiedRows += added
      progress(
        `${table.name}, ${nameOf(day)} (${index + 1} of ${days.length} days): ${added > 0 ? `${added} rows copied` : 'the same already'}`,
      )
    }
    copied[table.name] = { rows, copied: copiedRows }
  }
  const differences: string[] = []
  for (const table of tables)
    for (const [day, rows] of await daysOf(copy, table)) {
      signal.throwIfAborted()
      for (const difference of await differingDay(copy, table, day, rows))
        differences.push(`${table.name}, ${nameOf(day)}: ${difference}`)
    }
  return { tables: copied, differences }
}

/** The first second of each day of a table, and how many rows there are of it. */
async function daysOf({ source, keptUntil }: DayCopy, table: DayTable): Promise<[number, number][]> {
  const days = new Map<number, number>()
  for (const { day, rows } of await readDays(source, table, keptUntil))
    days.set(day, (days.get(day) ?? 0) + rows)
  return [...days]
}

const nameOf = (day: number): string => new Date(day * 1000).toISOString().slice(0, 10)

async function requireNothingElse(copy: DayCopy, tables: readonly DayTable[]): Promise<void> {
  const { source, target, columns, keptUntil } = copy
  for (const table of tables) {
    const known = await readDays(source, table, 0)
    const own = new Set(known.map(({ day, owner }) => `${day} ${owner}`))
    const other = (await readDays(target, table, keptUntil)).find(
      ({ day, owner }) => !own.has(`${day} ${owner}`),
    )
    if (other)
      throw new CopyRefused(
        `the target holds other data: ${other.rows} rows of ${table.name} of ${nameOf(other.day)}${other.owner && ` of organization ${other.owner}`}; copy into an empty one, or beside it with --beside`,
      )
  }
  const [journal] = columns.stored_batches ? await findForeignJournals(source, target) : []
  if (journal !== undefined)
    throw new CopyRefused(
      `the target holds other data: a batch of the gateway ${journal}; copy into an empty one, or beside it with --beside`,
    )
}

async function requireAnother(source: TrafficReading, target: TrafficReading): Promise<void> {
  const [from, to] = await Promise.all([findStoreId(source), findStoreId(target)])
  if (from === undefined)
    throw new CopyRefused(
      'there is no record in the store to copy from: name the one that the installation had',
    )
  if (from === to) throw new CopyRefused('the store to copy from is the one to copy to: name two')
}

/** A later version's record has columns that nothing here knows. */
async function requireColumns(
  columns: Readonly<Record<string, readonly string[]>>,
  target: TrafficReading,
): Promise<void> {
  const known = await readTrafficColumns(target)
  for (const [table, names] of Object.entries(columns))
    for (const name of names)
      if (!known[table]?.includes(name))
        throw new CopyRefused(
          `${table}.${name} was made by a later version of Sallyport: copy with that version`,
        )
}
