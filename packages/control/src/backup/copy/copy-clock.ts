/**
 * What a copy leaves out is chosen by the clock: rows that are past their retention. By a clock that is far ahead that is all of them,
 * and a copy of nothing would be found equal.
 */
import type { TrafficReading } from '../traffic-pieces-store.ts'
import type { DayCopy } from './copy-day.ts'
import { CopyRefused } from './copy-refused.ts'
import { type DayTable, readClock, readDays } from './days-store.ts'

/** A copy counts rows that are kept for a day more; clocks may differ by much less. */
const CLOCKS_APART_MAX_SECONDS = 3_600

const named = (seconds: number): string => new Date(seconds * 1_000).toISOString()

/** Throws a `CopyRefused` where the clock of this machine is not the one of a store. */
export async function requireRightClock(stores: readonly TrafficReading[]): Promise<void> {
  for (const store of stores) {
    const theirs = await readClock(store)
    const here = Math.floor(Date.now() / 1_000)
    if (Math.abs(theirs - here) > CLOCKS_APART_MAX_SECONDS)
      throw new CopyRefused(
        `the clock of this machine says ${named(here)}, and that of a ClickHouse ${named(theirs)}: what is copied follows from it; set the wrong one right`,
      )
  }
}

/**
 * Throws a `CopyRefused` where the source has rows and every one of them is past its retention: both may have the same wrong clock. A row
 * that is kept for less than a day more is not past it, though it is not copied: a record may be kept for one day.
 */
export async function requireSomethingKept(
  source: DayCopy['source'],
  tables: readonly DayTable[],
): Promise<void> {
  const now = Math.floor(Date.now() / 1_000)
  let rows = 0
  let latest = 0
  for (const table of tables) {
    if ((await readDays(source, table, now)).length > 0) return
    for (const one of await readDays(source, table, 0)) {
      rows += one.rows
      latest = Math.max(latest, one.day)
    }
  }
  if (rows > 0)
    throw new CopyRefused(
      `all ${rows} rows are past their retention by the clock of this machine, ${named(now)}; the latest are of ${named(latest).slice(0, 10)}. Set the clock right; where it is right, there is nothing to copy`,
    )
}
