/** How often somebody may ask for what costs the gate or the control plane more than other requests do. */
export interface PaceSettings {
  /** One use in each interval, in the long run. */
  readonly intervalMs: number
  /** So many may come at once. */
  readonly aheadMax: number
}

/** Beyond so many that have uses left to make up for, the one that came first is forgotten. */
const KNOWN_MAX = 10_000

export class Pace {
  readonly #settings: PaceSettings
  /** Until when each has used up what one use in each interval comes to. Who used last stands last. */
  readonly #usedUntil = new Map<string, number>()

  constructor(settings: PaceSettings) {
    this.#settings = settings
  }

  /** Counts a use at `now`, in milliseconds of a clock that is never set; false where it is one too many. */
  take(who: string, now: number): boolean {
    const { intervalMs, aheadMax } = this.#settings
    const until = Math.max(now, this.#usedUntil.get(who) ?? 0) + intervalMs
    if (until > now + aheadMax * intervalMs) return false
    this.#usedUntil.delete(who)
    this.#usedUntil.set(who, until)
    this.#forget(now)
    return true
  }

  /** At most two for each use, so that no use pays for many before it. */
  #forget(now: number): void {
    let looked = 0
    for (const [who, until] of this.#usedUntil) {
      if (looked++ === 2 || (until > now && this.#usedUntil.size <= KNOWN_MAX)) return
      this.#usedUntil.delete(who)
    }
  }
}
