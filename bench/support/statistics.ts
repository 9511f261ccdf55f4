/** The few numbers that the benchmarks print. */

/** The value below which `share` (0 to 1) of the values lie. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((left, right) => left - right)
  return sorted[Math.min(sorted.length - 1, Math.ceil(share * sorted.length) - 1)] ?? Number.NaN
}

export const median = (values: readonly number[]): number => quantile(values, 0.5)
