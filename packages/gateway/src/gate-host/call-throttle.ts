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

/** Counts a call of a caller at `now`, in milliseconds of a monotonic clock; false where it is one too many. */
export type AdmitCall = (caller: string, now: number) => boolean | Promise<boolean>

/** The calls that are throttled. */
export const CALL_THROTTLES = {
  /** Nobody guesses a key of 190 bits: this bounds the work. Many researchers may share one address. */
  attempts: { intervalMs: 100, burstMax: 50 },
  /** Each reveal is a change at the control plane and an entry in the audit log, and no rate limit of a site counts it. */
  reveals: { intervalMs: 1_000, burstMax: 5 },
  /** A browser that opens again may bring many tabs back at once. */
  codes: { intervalMs: 1_000, burstMax: 30 },
  /** Going through ten thousand sites takes some ten milliseconds. */
  lists: { intervalMs: 500, burstMax: 20 },
} as const satisfies Record<string, ThrottleSettings>
export type ThrottledCall = keyof typeof CALL_THROTTLES
export type CallThrottles = Readonly<Record<ThrottledCall, AdmitCall>>

/** In this thread's own memory. */
export function createCallThrottles(): CallThrottles {
  const own = (call: ThrottledCall): AdmitCall => {
    const throttle = new CallThrottle(CALL_THROTTLES[call])
    return (caller, now) => throttle.admit(caller, now)
  }
  return { attempts: own('attempts'), reveals: own('reveals'), codes: own('codes'), lists: own('lists') }
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
