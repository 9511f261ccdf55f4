import {
  type Budget,
  LEASE_MS,
  type Limiter,
  type LimiterKind,
  limitPart,
  type SettingsOf,
} from './limiter-kind.ts'

/** When a permit becomes free is anyone's guess; this is what researchers are told. */
const CONCURRENCY_RESET_MS = 1_000

/** The arithmetic as Valkey runs it: see `LimiterKind.script`. */
const SCRIPT = `function(key, limit, _, lease_ms)
  redis.call('ZREMRANGEBYSCORE', key, '-inf', now)
  local running = redis.call('ZCARD', key)
  return {
    allowed = running < limit, remaining = limit - running,
    reset = running == 0 and 0 or ${CONCURRENCY_RESET_MS},
    acquire = function()
      redis.call('ZADD', key, now + lease_ms, lease_id)
      redis.call('PEXPIRE', key, lease_ms * 2)
    end,
  }
end`

/** Requests under way at the same time. */
export const concurrency: LimiterKind<SettingsOf<'concurrency'>> = {
  create: ({ limit }) => new Concurrency(limit),
  stateLength: () => 1,
  script: SCRIPT,
  scriptNumber: () => LEASE_MS,
  windowMs: () => null,
  quotaWindowMs: () => null,
  holdsPermits: true,
  // A place that a gateway holds for a request that has not come yet is refused to one that has come to another gateway.
  partOf: (settings, parts) => ({ ...settings, limit: limitPart(settings.limit, parts) }),
  // Requests may have ended since; those of each gateway are counted by itself.
  remainingAfter: ({ limit }) => limit,
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

  save(numbers: Float64Array): void {
    numbers[0] = this.#running
  }

  restore(numbers: Float64Array): void {
    this.#running = numbers[0] ?? 0
  }
}
