/**
 * A circuit breaker per origin: after several failures in a row the origin is left alone for a while, then one request
 * at a time tries whether it is back. Researchers get an answer at once, and a struggling origin is not hammered.
 */
const FAILURES_TO_OPEN = 5
const PAUSE_FIRST_MS = 1_000
const PAUSE_MAX_MS = 30_000

export class Circuit {
  #failures = 0
  #pauseMs = PAUSE_FIRST_MS
  #openUntil = 0
  #probing = false

  /** Whether a request may go to the origin at `now`; counts it as the probe where one is due. */
  admit(now: number): boolean {
    if (this.#failures < FAILURES_TO_OPEN) return true
    if (now < this.#openUntil || this.#probing) return false
    this.#probing = true
    return true
  }

  get state(): 'healthy' | 'failing' | 'open' {
    if (this.#failures === 0) return 'healthy'
    return this.#failures < FAILURES_TO_OPEN ? 'failing' : 'open'
  }

  /** Milliseconds until the next probe, 0 when one is due. */
  waitMs(now: number): number {
    return Math.max(0, this.#openUntil - now)
  }

  succeed(): void {
    this.#failures = 0
    this.#probing = false
    this.#pauseMs = PAUSE_FIRST_MS
  }

  fail(now: number): void {
    this.#failures++
    if (this.#failures < FAILURES_TO_OPEN) return
    if (this.#probing) this.#pauseMs = Math.min(PAUSE_MAX_MS, this.#pauseMs * 2)
    this.#probing = false
    this.#openUntil = now + this.#pauseMs
  }

  /** An admitted request ended without saying anything about the origin (its client went away, for example). */
  abandon(): void {
    this.#probing = false
  }
}
