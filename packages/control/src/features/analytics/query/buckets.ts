/** Sorts counts by time into the buckets of a timeline. */

/**
 * The largest step in whole seconds such that every bucket starts at a multiple of it: as coarse as counts may be
 * read without mixing two buckets.
 */
export const stepOf = (startsMs: readonly number[]): number =>
  startsMs.reduce((step, start) => greatestCommonDivisor(step, Math.round(start / 1000)), 0) || 1

function greatestCommonDivisor(left: number, right: number): number {
  let [a, b] = [left, right]
  while (b !== 0) [a, b] = [b, a % b]
  return a
}

/** Index of the bucket that an instant falls into; `startsMs` is in order and its first is not after any instant. */
export function bucketIndex(startsMs: readonly number[], instantMs: number): number {
  let low = 0
  let high = startsMs.length - 1
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    if ((startsMs[middle] ?? 0) <= instantMs) low = middle
    else high = middle - 1
  }
  return low
}
