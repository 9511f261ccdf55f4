import type { LimiterSettings } from '@sallyport/contract'
import type { Budget, Limiter, LimiterKind } from '../limiter-kind.ts'
import { SCRIPT } from './script.ts'

export type BucketSettings = Extract<LimiterSettings, { kind: 'bucket' }>

/** Bursts, and a steady rate after them. A bucket fills up from empty in its quota's window. */
export const bucket: LimiterKind<BucketSettings> = {
  create: ({ limit, refill, windowMs }) => new TokenBucket(limit, refill, windowMs),
  script: SCRIPT,
  scriptNumber: ({ refill }) => refill,
  windowMs: ({ windowMs }) => windowMs,
  quotaWindowMs: ({ windowMs, limit, refill }) => (windowMs * limit) / refill,
  holdsPermits: false,
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

  acquire(now: number): void {
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
