/** Moments as texts (ISO 8601, by UTC) where there are many of few days: a map has two for each cell, and `Date` makes each from its beginning. */
const DAY_MS = 86_400_000
const DAYS_MAX = 1_000
const digits = (number: number, count: number): string => String(number).padStart(count, '0')
/** The parts of a time of day. They are few, so that a moment is made of three texts and not of nine. */
const MINUTES = Array.from(
  { length: 1_440 },
  (_, minute) => `${digits(Math.floor(minute / 60), 2)}:${digits(minute % 60, 2)}:`,
)
const SECONDS = Array.from({ length: 60 }, (_, second) => `${digits(second, 2)}.`)
const THOUSANDTHS = Array.from({ length: 1_000 }, (_, thousandth) => `${digits(thousandth, 3)}Z`)

/** What stands before the time of day, by day since the epoch. */
const days = new Map<number, string>()

/** As `Date.toISOString` writes it. `ms` is a whole number of milliseconds since the epoch. */
export function isoTime(ms: number): string {
  const day = Math.floor(ms / DAY_MS)
  const ofDay = ms - day * DAY_MS
  const second = SECONDS[Math.floor(ofDay / 1_000) % 60]
  const end = `${second}${THOUSANDTHS[ofDay % 1_000]}`
  return `${startOf(day)}${MINUTES[Math.floor(ofDay / 60_000)]}${end}`
}

function startOf(day: number): string {
  const known = days.get(day)
  if (known !== undefined) return known
  if (days.size >= DAYS_MAX) days.clear()
  const start = new Date(day * DAY_MS).toISOString().slice(0, -'00:00:00.000Z'.length)
  days.set(day, start)
  return start
}
