/**
 * Throttles the calls that cost the gate or the control plane more than other requests do: each caller has a bucket that leaks at
 * a constant rate (GCRA).
 */
export interface ThrottleSettings {
  /** One call in each interval, in the long run. */
  readonly intervalMs: number
  /** Calls beyond that rate that may come in a burst. */
  readonly burstMax: number
}

/** Callers that are remembered at most; the one that called least recently is forgotten first. */
const KNOWN_MAX = 10_000

export class CallThrottle {
  readonly #settings: ThrottleSettings
  /** The instant up to which each caller has used the rate; the most recent caller last. */
  readonly #usedUntil = new Map<string, number>()

  constructor(settings: ThrottleSettings) {
    this.#settings = settings
  }

  /** Counts a call at `now`, in milliseconds of a monotonic clock; false where it is one too many. */
  admit(caller: string, now: number): boolean {
    const { intervalMs, burstMax } = this.#settings
    const until = Math.max(now, this.#usedUntil.get(caller) ?? 0) + intervalMs
    if (until > now + burstMax * intervalMs) return false
    this.#usedUntil.delete(caller)
    this.#usedUntil.set(caller, until)
    this.#evict(now)
    return true
  }

  /** At most two for each call, so that no call pays for many before it. */
  #evict(now: number): void {
    let examined = 0
    for (const [caller, until] of this.#usedUntil) {
      if (examined++ === 2 || (until > now && this.#usedUntil.size <= KNOWN_MAX)) return
      this.#usedUntil.delete(caller)
    }
  }
}
