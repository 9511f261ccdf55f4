/** How often each may do what costs others something: so many times in a window that slides. In this process. */
export interface Pace {
  /** Milliseconds until it may be done again; 0 where it may be done now, which is then counted. */
  take(name: string): number
}

export interface PaceOptions {
  readonly timesMax: number
  readonly windowMs: number
  readonly now?: () => number
}

const NAMES_MAX = 10_000

export function createPace({ timesMax, windowMs, now = Date.now }: PaceOptions): Pace {
  const taken = new Map<string, number[]>()
  return {
    take(name) {
      const since = now() - windowMs
      const times = (taken.get(name) ?? []).filter((time) => time > since)
      const [oldest = 0] = times
      if (times.length >= timesMax) return oldest - since
      // Deleted first, so that it goes to the end: the first of the map is the one that was longest not used.
      taken.delete(name)
      taken.set(name, [...times, now()])
      if (taken.size > NAMES_MAX) for (const longest of taken.keys().take(1)) taken.delete(longest)
      return 0
    },
  }
}
