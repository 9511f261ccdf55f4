/**
 * Values of a filter of the request log, as the API and the console's addresses write them: `!` before a value excludes
 * it. A value that itself begins with `!` is written with a backslash before it, and what looks like that with one more,
 * so that every value can be asked for: `\!GET` is the method `!GET`, `!!GET` excludes it.
 */
export interface FilterValue {
  readonly value: string
  readonly excludes: boolean
}

export function readFilterValue(written: string): FilterValue {
  if (written.startsWith('!')) return { value: written.slice(1), excludes: true }
  return { value: /^\\+!/.test(written) ? written.slice(1) : written, excludes: false }
}

export function writeFilterValue({ value, excludes }: FilterValue): string {
  if (excludes) return `!${value}`
  return /^\\*!/.test(value) ? `\\${value}` : value
}

/** A filter that keeps what has this value. */
export const onlyValue = (value: string): string => writeFilterValue({ value, excludes: false })
