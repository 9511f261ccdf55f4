import type { LimiterSettings } from '@sallyport/contract'
import { type Budget, LEASE_MS, type Limiter, type LimiterKind } from '../limiter-kind.ts'
import { CONCURRENCY_RESET_MS } from './reset.ts'
import { SCRIPT } from './script.ts'

export type ConcurrencySettings = Extract<LimiterSettings, { kind: 'concurrency' }>

/** Requests under way at the same time. */
export const concurrency: LimiterKind<ConcurrencySettings> = {
  create: ({ limit }) => new Concurrency(limit),
  script: SCRIPT,
  scriptNumber: () => LEASE_MS,
  windowMs: () => null,
  quotaWindowMs: () => null,
  holdsPermits: true,
}

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

  acquire(): void {
    this.#running += 1
  }

  release(): void {
    this.#running -= 1
  }

  isFresh(): boolean {
    return this.#running === 0
  }
}
