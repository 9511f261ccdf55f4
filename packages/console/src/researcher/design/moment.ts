/** A moment as the browser's language writes it, in the zone of the machine that reads it, and saying which: tests end by it. */
export const momentWords = (instant: number | string): string =>
  new Date(instant).toLocaleString(undefined, { dateStyle: 'medium', timeStyle: 'long' })
