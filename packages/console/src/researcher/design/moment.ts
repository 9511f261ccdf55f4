/** A moment as the browser's language writes it, in the zone of the machine that reads it, and saying which: tests end by it. */
export const momentWords = (instant: number | string): string =>
  new Date(instant).toLocaleString(undefined, { dateStyle: 'medium', timeStyle: 'long' })

/** The time of a moment of today; of another day the moment whole, which would be taken for one of today. */
export const timeWords = (instant: number | string, now: Date = new Date()): string =>
  new Date(instant).toDateString() === now.toDateString()
    ? new Date(instant).toLocaleTimeString(undefined, { timeStyle: 'long' })
    : momentWords(instant)
