/** What the clock of a time zone shows: for fields that take a date and a time of day, and for the ticks of a chart. */
const MINUTE_MS = 60_000
/** Of ISO 8601 text that says the minute: `2026-11-21T14:05`. */
const MINUTE_CHARS = 16

const localFormats = new Map<string, Intl.DateTimeFormat>()

/** Making a format costs far more than using it. */
function localFormat(zone: string): Intl.DateTimeFormat {
  const known = localFormats.get(zone)
  if (known) return known
  const made = new Intl.DateTimeFormat('sv-SE', {
    timeZone: zone,
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
  })
  localFormats.set(zone, made)
  return made
}

/** `2026-11-21T14:05` in the given zone, empty for what is no instant; and back to ISO 8601. */
export function toLocalInput(iso: string | null | undefined, zone: string): string {
  const date = new Date(iso ?? '')
  if (Number.isNaN(date.getTime())) return ''
  const shown = new Date(wallClock(date.getTime(), zone)).toISOString()
  return /^\d{4}-/.test(shown) ? shown.slice(0, MINUTE_CHARS) : ''
}

/** What the zone's clock shows at an instant, to the minute, as if that were UTC. Also of years as they are typed: 0002. */
function wallClock(instant: number, zone: string): number {
  const parts = localFormat(zone).format(instant).split(/\D+/).map(Number)
  const [year = 0, month = 1, day = 1, hour = 0, minute = 0] = parts
  // `Date.UTC` takes a year below 100 for one of the twentieth century.
  const date = new Date(0)
  date.setUTCFullYear(year, month - 1, day)
  return date.setUTCHours(hour, minute)
}

export function fromLocalInput(local: string, zone: string): string | null {
  if (!local) return null
  const asUtc = Date.parse(`${local}:00Z`)
  if (Number.isNaN(asUtc)) return null
  // The zone's offset depends on the instant sought; two rounds find it, also around a change of the clocks.
  let instant = asUtc
  for (let round = 0; round < 2; round++) {
    instant += asUtc - wallClock(instant, zone)
  }
  return new Date(instant).toISOString()
}

/** What the zone's clock is ahead of UTC at an instant (milliseconds since the epoch), in milliseconds. */
export function zoneOffsetMs(instant: number, zone: string): number {
  return wallClock(instant, zone) - Math.floor(instant / MINUTE_MS) * MINUTE_MS
}
