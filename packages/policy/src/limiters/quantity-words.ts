/** Numbers and windows of limits, for people. */
let grouped: Intl.NumberFormat | undefined

/** `1,000`. The first one takes 7 MiB and 20 ms, which a gateway that refuses nothing for its limits never needs. */
export function countWords(value: number): string {
  grouped ??= new Intl.NumberFormat('en')
  return grouped.format(value)
}

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
