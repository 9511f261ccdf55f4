/**
 * Circuit breakers: a researcher whose requests fail several times in a row at an origin is answered at once for a while; then one
 * request after each pause tries whether the origin is back. Researchers get an answer, and a struggling origin is not hammered.
 *
 * Each researcher has one of their own, because researchers attack: that an origin crashes at some request, or a filter before
 * it cuts the connection, says something of that request and nothing of those of the others. Of a wildcard each has one for
 * each host.
 */
import type { LaneKey } from './connection-quotas.ts'

const FAILURES_TO_OPEN = 5
const PAUSE_FIRST_MS = 1_000
const PAUSE_MAX_MS = 30_000
/** Beyond them the oldest is forgotten: a wildcard has as many hosts as anybody asks for. */
const BREAKERS_MAX = 10_000

/** The circuit breakers of an origin, by researcher (and host: `LaneKey`). Times are those of `performance.now()`. */
export class CircuitBreakers {
  /** Of those whose last request failed. */
  readonly #breakers = new Map<string, CircuitBreaker>()
  /** Failures in a row, over all researchers. */
  #failures = 0

  /** How the origin fares, for all who use it together. */
  get state(): 'healthy' | 'failing' | 'open' {
    if (this.#failures === 0) return 'healthy'
    return this.#failures < FAILURES_TO_OPEN ? 'failing' : 'open'
  }

  /** Whether a request may go to the origin at `now`; counts it as the one that tries where that is due. */
  admit(key: LaneKey, now: number): boolean {
    return this.#breakers.get(key)?.admit(now) ?? true
  }

  /** Milliseconds until the next request that tries, 0 when it is due. */
  waitMs(key: LaneKey, now: number): number {
    return this.#breakers.get(key)?.waitMs(now) ?? 0
  }

  succeed(key: LaneKey): void {
    this.#failures = 0
    if (this.#breakers.size > 0) this.#breakers.delete(key)
  }

  fail(key: LaneKey, now: number): void {
    this.#failures++
    let breaker = this.#breakers.get(key)
    if (!breaker) {
      breaker = new CircuitBreaker()
      this.#breakers.set(key, breaker)
      const [oldest] = this.#breakers.keys()
      if (oldest !== undefined && this.#breakers.size > BREAKERS_MAX) this.#breakers.delete(oldest)
    }
    breaker.fail(now)
  }

  /** An admitted request ended without saying anything about the origin (its client went away, for example). */
  abandon(key: LaneKey): void {
    this.#breakers.get(key)?.abandon()
  }
}

class CircuitBreaker {
  #failures = 0
  #pauseMs = PAUSE_FIRST_MS
  #openUntil = 0
  #probing = false

  admit(now: number): boolean {
    if (this.#failures < FAILURES_TO_OPEN) return true
    if (now < this.#openUntil) return false
    // Even if the probe has no result by then: a long poll or an upload may have none for an hour.
    this.#openUntil = now + this.#pauseMs
    this.#probing = true
    return true
  }

  waitMs(now: number): number {
    return Math.max(0, this.#openUntil - now)
  }

  fail(now: number): void {
    this.#failures++
    if (this.#failures < FAILURES_TO_OPEN) return
    if (this.#probing) this.#pauseMs = Math.min(PAUSE_MAX_MS, this.#pauseMs * 2)
    this.#probing = false
    this.#openUntil = now + this.#pauseMs
  }

  abandon(): void {
    if (!this.#probing) return
    this.#probing = false
    this.#openUntil = 0
  }
}
