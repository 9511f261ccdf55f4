import type { LimiterSettings } from '@sallyport/contract'
import type { Budget, Limiter, LimiterKind } from '../limiter-kind.ts'
import { SCRIPT } from './script.ts'

export type FixedSettings = Extract<LimiterSettings, { kind: 'fixed' }>

/** Windows that begin and end by the clock. */
export const fixed: LimiterKind<FixedSettings> = {
  create: ({ limit, windowMs }) => new FixedWindow(limit, windowMs),
  script: SCRIPT,
  scriptNumber: () => 0,
  windowMs: ({ windowMs }) => windowMs,
  quotaWindowMs: ({ windowMs }) => windowMs,
  holdsPermits: false,
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

  acquire(now: number): void {
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
