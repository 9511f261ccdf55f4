/**
 * How changes open and close a site: its switch and its window (decision 0246). What a caller reads as `isActive` follows from both,
 * so what is written as `isActive` is decided here, for each operation that writes it. Instants are ISO 8601 in UTC with
 * milliseconds, which compare as text.
 */
import { OPEN_END } from '@sallyport/contract'
import { isSiteOpen } from '@sallyport/policy'
import type { SiteColumns } from '../../database/site-columns.ts'
import { invalid } from '../../errors.ts'

type Opening = Pick<SiteColumns, 'is_enabled' | 'starts_at' | 'stops_at' | 'planned_stops_at'>

/** What a caller writes of it; a field that is not there stays as it is. */
export interface OpeningChange {
  readonly isActive?: boolean | undefined
  readonly startDate?: string | undefined
  readonly stopDate?: string | undefined
}

/** The columns of a site that say when it is open, as `@sallyport/policy` asks for them. */
export const openingTimesOf = (row: Pick<SiteColumns, 'is_enabled' | 'starts_at' | 'stops_at'>) => ({
  enabled: row.is_enabled,
  startsAt: Date.parse(row.starts_at),
  stopsAt: Date.parse(row.stops_at),
})

/** Closes a site now: an open window ends, one that has not begun or is over stays as it is. */
export function closeNow(row: Opening, now: string): Partial<Opening> {
  const isOpen = row.starts_at <= now && now < row.stops_at
  return { is_enabled: false, ...(isOpen && { stops_at: now, planned_stops_at: row.stops_at }) }
}

/** Opens a site now: a window that is over ends when it was to end before it was closed, or never. */
export const openNow = (row: Opening, now: string): Partial<Opening> => ({
  is_enabled: true,
  starts_at: row.starts_at < now ? row.starts_at : now,
  ...endAfter(row, now),
})

/** Throws a 400 where a new site would be active and over, or would end before it begins. */
export function requireOpening(site: Opening, now: string): void {
  if (site.is_enabled) requireEndToCome(site, now)
  requireWindow(site)
}

/** How a new site is opened. */
export const firstOpening = ({ isActive, startDate, stopDate }: OpeningChange): Partial<Opening> => ({
  ...(isActive !== undefined && { is_enabled: isActive }),
  ...(startDate !== undefined && { starts_at: instant(startDate) }),
  ...(stopDate !== undefined && { stops_at: instant(stopDate) }),
})

/** What a change of some fields makes of it. Throws a 400 as a creation does. */
export function changeOpening(row: Opening, written: OpeningChange, now: string): Partial<Opening> {
  const { isActive } = written
  const { starts_at: startsAt, stops_at: stopsAt } = firstOpening(written)
  if (isActive === false && isRestated(row, startsAt, stopsAt, now)) return {}
  const isWindowChanged =
    (startsAt ?? row.starts_at) !== row.starts_at || (stopsAt ?? row.stops_at) !== row.stops_at
  const changed = {
    ...(isActive !== undefined && { is_enabled: isActive }),
    ...(startsAt !== undefined && { starts_at: startsAt }),
    ...(stopsAt === undefined
      ? isActive === true && endAfter(row, now)
      : stopsAt !== row.stops_at && { stops_at: stopsAt, planned_stops_at: null }),
  }
  const after = { ...row, ...changed }
  if (isActive === true) requireEndToCome(after, now)
  if (isWindowChanged) requireWindow(after)
  return changed
}

/** A window that ends before it begins is a mistake. */
function requireWindow({ starts_at, stops_at }: Opening): void {
  if (stops_at < starts_at) throw invalid('/stopDate', 'must not be before startDate')
}

/** A site that is over is not active, whatever is written. */
function requireEndToCome({ stops_at }: Opening, now: string): void {
  if (stops_at <= now)
    throw invalid('/stopDate', 'has passed, so isActive cannot be true: leave it out, or give one to come')
}

/** An instant as it is stored. */
const instant = (text: string): string => new Date(text).toISOString()

/** `isActive: false` beside the window as it is, of a site that is not open, as who sends back what was read writes it. */
const isRestated = (
  row: Opening,
  startsAt: string | undefined,
  stopsAt: string | undefined,
  now: string,
): boolean =>
  startsAt === row.starts_at && stopsAt === row.stops_at && !isSiteOpen(openingTimesOf(row), Date.parse(now))

function endAfter({ stops_at, planned_stops_at }: Opening, now: string): Partial<Opening> {
  if (stops_at > now) return {}
  const isPlanned = planned_stops_at !== null && planned_stops_at > now
  return { stops_at: isPlanned ? planned_stops_at : OPEN_END, planned_stops_at: null }
}
