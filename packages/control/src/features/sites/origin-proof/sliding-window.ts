/** A rate limit by name, over a sliding window, in this process. */
export interface SlidingWindow {
  /** Counts one use, and returns 0; or, beyond the limit, returns the milliseconds until there is room for it. */
  acquire(name: string): number
}

export interface SlidingWindowOptions {
  readonly timesMax: number
  readonly windowMs: number
  readonly now?: () => number
}

const NAMES_MAX = 10_000

export function createSlidingWindow({
  timesMax,
  windowMs,
  now = Date.now,
}: SlidingWindowOptions): SlidingWindow {
  const uses = new Map<string, number[]>()
  return {
    acquire(name) {
      const since = now() - windowMs
      const times = (uses.get(name) ?? []).filter((time) => time > since)
      const [oldest = 0] = times
      if (times.length >= timesMax) return oldest - since
      // Deleted first, so that it goes to the end: the first of the map is the one that was longest not used.
      uses.delete(name)
      uses.set(name, [...times, now()])
      if (uses.size > NAMES_MAX) for (const longest of uses.keys().take(1)) uses.delete(longest)
      return 0
    },
  }
}
