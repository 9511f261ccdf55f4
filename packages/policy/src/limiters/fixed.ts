import { type Budget, type Limiter, type LimiterKind, limitPart, type SettingsOf } from './limiter-kind.ts'

/** The arithmetic as Valkey runs it: see `LimiterKind.script`. */
const SCRIPT = `function(key, limit, window_ms)
  local window = math.floor(now / window_ms)
  local state = redis.call('HMGET', key, 'window', 'used')
  local known, used = tonumber(state[1]) or window, tonumber(state[2]) or 0
  if window > known then used = 0 else window = known end
  return {
    allowed = used < limit, remaining = limit - used,
    reset = used == 0 and 0 or (window + 1) * window_ms - now,
    segment = window, segment_end = (window + 1) * window_ms,
    give_back = function(segment, count)
      if segment == window and used > 0 then redis.call('HSET', key, 'used', math.max(0, used - count)) end
    end,
    acquire = function(count)
      redis.call('HSET', key, 'window', window, 'used', used + count)
      redis.call('PEXPIRE', key, math.max(1, (window + 2) * window_ms - now))
    end,
  }
end`

/** Windows that begin and end by the clock. */
export const fixed: LimiterKind<SettingsOf<'fixed'>> = {
  create: ({ limit, windowMs }) => new FixedWindow(limit, windowMs),
  stateLength: () => 2,
  script: SCRIPT,
  scriptNumber: () => 0,
  windowMs: ({ windowMs }) => windowMs,
  quotaWindowMs: ({ windowMs }) => windowMs,
  holdsPermits: false,
  partOf: (settings, parts) => ({ ...settings, limit: limitPart(settings.limit, parts) }),
  remainingAfter: ({ limit }, { remaining, resetMs }, elapsedMs) => (elapsedMs < resetMs ? remaining : limit),
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

  isFresh(now: number): boolean {
    this.#advance(now)
    return this.#used === 0
  }

  save(numbers: Float64Array): void {
    numbers[0] = this.#window
    numbers[1] = this.#used
  }

  restore(numbers: Float64Array): void {
    this.#window = numbers[0] ?? 0
    this.#used = numbers[1] ?? 0
  }

  #advance(now: number): void {
    const window = Math.floor(now / this.#windowMs)
    if (window <= this.#window) return
    this.#window = window
    this.#used = 0
  }
}
