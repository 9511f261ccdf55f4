/**
 * Cuts a window of time into parts that are read from different tables: the middle from the coarsest rollup, what is
 * left at the edges from finer ones, and the last bits from the requests themselves. Every answer is therefore exact
 * to the millisecond, and costs about the same however long the window is.
 */

export const MINUTE_MS = 60_000
export const HOUR_MS = 3_600_000
export const DAY_MS = 86_400_000

/** A half-open part of a window, to be read at a grain; grain 0 means the requests themselves. */
export interface TimeSegment {
  readonly grainMs: number
  readonly from: number
  readonly to: number
}

/**
 * Cuts [from, to) by grains, finest first. The parts are in order, do not overlap and leave nothing out. Where `to` is
 * Infinity, the last part is of the coarsest grain.
 */
export function cutIntoSegments(from: number, to: number, grainsMs: readonly number[]): TimeSegment[] {
  if (from >= to) return []
  const grainMs = grainsMs.at(-1)
  if (grainMs === undefined) return [{ grainMs: 0, from, to }]
  const finer = grainsMs.slice(0, -1)
  const first = Math.ceil(from / grainMs) * grainMs
  const last = Math.floor(to / grainMs) * grainMs
  if (first >= last) return cutIntoSegments(from, to, finer)
  return [
    ...cutIntoSegments(from, first, finer),
    { grainMs, from: first, to: last },
    ...cutIntoSegments(last, to, finer),
  ]
}
