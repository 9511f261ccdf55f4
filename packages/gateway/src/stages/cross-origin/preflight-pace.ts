/**
 * How many preflights of a site go to its origin. Anybody can send them, so they count against no rate limit that researchers
 * share, and have this one instead.
 */
const PER_SECOND = 50
const AT_ONCE = 200

export class PreflightPace {
  readonly #threads: number
  #left: number
  #since = Number.NEGATIVE_INFINITY

  /** @param threads how many have such a pace for the same site: together they let no more pass than one would */
  constructor(threads = 1) {
    this.#threads = threads
    this.#left = AT_ONCE / threads
  }

  /** Whether another one may go, and counts it; `now` in milliseconds, of a clock that never goes back. */
  allows(now: number): boolean {
    this.#left = Math.min(
      AT_ONCE / this.#threads,
      this.#left + ((now - this.#since) / 1_000) * (PER_SECOND / this.#threads),
    )
    this.#since = now
    if (this.#left < 1) return false
    this.#left -= 1
    return true
  }
}
