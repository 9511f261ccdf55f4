/**
 * Intervals of a timeline and the buckets they make of a window. `s`, `m` and `h` are lengths; `d`, `w`, `M`, `q` and
 * `y` follow the calendar of a time zone, so that a day with a clock change has 23 or 25 hours.
 */
import { DateTime, type DateTimeUnit } from 'luxon'

/** The text is not an interval, or makes too many buckets. */
export class BadInterval extends Error {}

/** More buckets than this are refused: no screen shows them and no script needs them at once. */
const BUCKETS_MAX = 5_000
/** Buckets that an interval chosen for the caller aims at, at most. */
const BUCKETS_CHOSEN_MAX = 120

const INTERVAL = /^([1-9]\d{0,3})([smhdwMqy])$/
const LENGTHS_MS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000 }
const CALENDAR: Readonly<Record<string, DateTimeUnit>> = {
  d: 'day',
  w: 'week',
  M: 'month',
  q: 'quarter',
  y: 'year',
}
const CHOICES: readonly (readonly [string, number])[] = [
  ['1s', 1_000],
  ['10s', 10_000],
  ['1m', 60_000],
  ['5m', 300_000],
  ['15m', 900_000],
  ['1h', 3_600_000],
  ['3h', 10_800_000],
  ['12h', 43_200_000],
  ['1d', 86_400_000],
  ['1w', 604_800_000],
  ['1M', 2_592_000_000],
]

/** The interval that shows a window of this length well. */
export function chooseInterval(windowMs: number): string {
  const fitting = CHOICES.find(([, lengthMs]) => windowMs / lengthMs <= BUCKETS_CHOSEN_MAX)
  return fitting?.[0] ?? '1y'
}

/**
 * Starts of the buckets that cover [from, to), in order, milliseconds since the epoch. The first is at or before
 * `from`. Throws `BadInterval`.
 */
export function bucketStarts(interval: string, from: number, to: number, timeZone: string): number[] {
  const [, digits, unit = ''] = INTERVAL.exec(interval) ?? []
  const amount = Number(digits)
  const lengthMs = LENGTHS_MS[unit]
  const calendarUnit = CALENDAR[unit]
  if (lengthMs !== undefined) return fixedStarts(amount * lengthMs, from, to, timeZone)
  if (calendarUnit && amount === 1) return calendarStarts(calendarUnit, from, to, timeZone)
  throw new BadInterval(
    `"${interval.slice(0, 16)}" is not an interval: write such as 30s, 5m, 1h, or 1d, 1w, 1M, 1q, 1y`,
  )
}

function fixedStarts(lengthMs: number, from: number, to: number, timeZone: string): number[] {
  if ((to - from) / lengthMs > BUCKETS_MAX - 1) throw tooMany()
  const offsetMs = DateTime.fromMillis(from, { zone: timeZone }).offset * 60_000
  const first = Math.floor((from + offsetMs) / lengthMs) * lengthMs - offsetMs
  const starts = [first]
  for (let start = first + lengthMs; start < to; start += lengthMs) starts.push(start)
  return starts
}

function calendarStarts(unit: DateTimeUnit, from: number, to: number, timeZone: string): number[] {
  let start = DateTime.fromMillis(from, { zone: timeZone }).startOf(unit)
  const starts = [start.toMillis()]
  for (;;) {
    start = start.plus({ [unit]: 1 }).startOf(unit)
    if (start.toMillis() >= to) return starts
    if (starts.length >= BUCKETS_MAX) throw tooMany()
    starts.push(start.toMillis())
  }
}

const tooMany = (): BadInterval =>
  new BadInterval(
    `the window holds more than ${BUCKETS_MAX} buckets of this interval; take a longer interval`,
  )
