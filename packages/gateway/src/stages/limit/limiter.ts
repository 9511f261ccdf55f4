/**
 * The limiters, in memory. Each counts exactly: `peek` says whether one more request is within the limit now, `take`
 * counts it. The two are separate because a request has to be within two limits (the site's and the researcher's share)
 * before it is counted in either.
 *
 * Time is given in milliseconds since the epoch by a clock that never steps (see `clock.ts`). If it goes back all the
 * same, a limiter stays where it is: nothing is given out twice.
 */
import type { LimiterSettings } from '@sallyport/contract'

/** What is left of a limit. */
export interface Budget {
  readonly allowed: boolean
  /** Requests that may follow at once. */
  readonly remaining: number
  /** After how many milliseconds more is available than now; 0 where nothing is used up. */
  readonly resetMs: number
}

export interface Limiter {
  /** What is left before a request at `now`. */
  peek(now: number): Budget
  /** Counts a request that `peek` has allowed at the same `now`. */
  take(now: number): void
  /** Ends a request that was taken; only limits of concurrency care. */
  release(): void
  /** Whether the limiter is as if it had never been used, so that it may be forgotten. */
  isFresh(now: number): boolean
}

/** A limiter of the kind that the settings name, unused. */
export function createLimiter(settings: LimiterSettings): Limiter {
  switch (settings.kind) {
    case 'fixed':
      return new FixedWindow(settings.limit, settings.windowMs)
    case 'sliding':
      return new SlidingWindow(settings.limit, settings.windowMs, settings.segments)
    case 'bucket':
      return new TokenBucket(settings.limit, settings.refill, settings.windowMs)
    case 'concurrency':
      return new Concurrency(settings.limit)
  }
}

/** At most `limit` in each window; windows are aligned to the epoch. */
class FixedWindow implements Limiter {
  readonly #limit: number
  readonly #windowMs: number
  #window = 0
  #used = 0

  constructor(limit: number, windowMs: number) {
    this.#limit = limit
    this.#windowMs = windowMs
  }

  peek(now: number): Budget {
    this.#advance(now)
    const remaining = this.#limit - this.#used
    const resetMs = this.#used === 0 ? 0 : (this.#window + 1) * this.#windowMs - now
    return { allowed: remaining > 0, remaining, resetMs }
  }

  take(now: number): void {
    this.#advance(now)
    this.#used += 1
  }

  release(): void {}

  isFresh(now: number): boolean {
    this.#advance(now)
    return this.#used === 0
  }

  #advance(now: number): void {
    const window = Math.floor(now / this.#windowMs)
    if (window <= this.#window) return
    this.#window = window
    this.#used = 0
  }
}

/**
 * At most `limit` in any stretch of `windowMs`. Requests are counted by segment, a part of the window; a segment counts
 * until a whole window has passed since its end, so the limit holds wherever the window is laid, and a request is
 * forgotten up to one segment later than it could be.
 */
class SlidingWindow implements Limiter {
  readonly #limit: number
  readonly #segmentMs: number
  /** Counts of the present segment and of those before it that still matter, by segment number modulo the length. */
  readonly #counts: Uint32Array
  #segment = 0
  #used = 0

  constructor(limit: number, windowMs: number, segments: number) {
    this.#limit = limit
    this.#segmentMs = windowMs / segments
    this.#counts = new Uint32Array(segments + 1)
  }

  peek(now: number): Budget {
    this.#advance(now)
    const remaining = this.#limit - this.#used
    return { allowed: remaining > 0, remaining, resetMs: this.#used === 0 ? 0 : this.#resetMs(now) }
  }

  take(now: number): void {
    this.#advance(now)
    const index = this.#segment % this.#counts.length
    this.#counts[index] = (this.#counts[index] ?? 0) + 1
    this.#used += 1
  }

  release(): void {}

  isFresh(now: number): boolean {
    this.#advance(now)
    return this.#used === 0
  }

  /** Until the oldest segment in which anything was counted is forgotten. */
  #resetMs(now: number): number {
    const { length } = this.#counts
    let oldest = this.#segment - length + 1
    while (oldest < this.#segment && this.#counts[oldest % length] === 0) oldest += 1
    return (oldest + length) * this.#segmentMs - now
  }

  #advance(now: number): void {
    const segment = Math.floor(now / this.#segmentMs)
    const { length } = this.#counts
    const forgotten = Math.min(segment - this.#segment, length)
    for (let step = 1; step <= forgotten; step += 1) {
      const index = (segment - forgotten + step) % length
      this.#used -= this.#counts[index] ?? 0
      this.#counts[index] = 0
    }
    if (segment > this.#segment) this.#segment = segment
  }
}

/** A bucket of `limit` tokens that begins full and gains `refill` tokens every `windowMs`, continuously. */
class TokenBucket implements Limiter {
  readonly #limit: number
  readonly #tokensPerMs: number
  #tokens: number
  #at = Number.NEGATIVE_INFINITY

  constructor(limit: number, refill: number, windowMs: number) {
    this.#limit = limit
    this.#tokensPerMs = refill / windowMs
    this.#tokens = limit
  }

  peek(now: number): Budget {
    this.#advance(now)
    const remaining = Math.floor(this.#tokens)
    const missing = remaining === this.#limit ? 0 : remaining + 1 - this.#tokens
    return { allowed: remaining > 0, remaining, resetMs: missing / this.#tokensPerMs }
  }

  take(now: number): void {
    this.#advance(now)
    this.#tokens -= 1
  }

  release(): void {}

  isFresh(now: number): boolean {
    this.#advance(now)
    return this.#tokens === this.#limit
  }

  #advance(now: number): void {
    if (now <= this.#at) return
    const gained = this.#at === Number.NEGATIVE_INFINITY ? 0 : (now - this.#at) * this.#tokensPerMs
    this.#tokens = Math.min(this.#limit, this.#tokens + gained)
    this.#at = now
  }
}

/** When a place becomes free is anyone's guess; this is the one that is told. */
export const CONCURRENCY_RESET_MS = 1_000

/** At most `limit` at once. */
class Concurrency implements Limiter {
  readonly #limit: number
  #running = 0

  constructor(limit: number) {
    this.#limit = limit
  }

  peek(): Budget {
    const remaining = this.#limit - this.#running
    return { allowed: remaining > 0, remaining, resetMs: this.#running === 0 ? 0 : CONCURRENCY_RESET_MS }
  }

  take(): void {
    this.#running += 1
  }

  release(): void {
    this.#running -= 1
  }

  isFresh(): boolean {
    return this.#running === 0
  }
}
