/** Numbers and windows of limits, for people. */
const grouped = new Intl.NumberFormat('en')

export const countWords = (value: number): string => grouped.format(value)

const UNITS: readonly (readonly [number, string])[] = [
  [86_400_000, 'day'],
  [3_600_000, 'hour'],
  [60_000, 'minute'],
  [1_000, 'second'],
]

/** `minute`, `10 seconds`, `250 ms`: in the largest unit that says it in a whole number. */
export function windowWords(windowMs: number): string {
  for (const [unitMs, unit] of UNITS) {
    if (windowMs % unitMs === 0) return windowMs === unitMs ? unit : `${windowMs / unitMs} ${unit}s`
  }
  return `${windowMs} ms`
}
