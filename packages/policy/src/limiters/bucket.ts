import { type Budget, type Limiter, type LimiterKind, limitPart, type SettingsOf } from './limiter-kind.ts'

/** The arithmetic as Valkey runs it: see `LimiterKind.script`. */
const SCRIPT = `function(key, limit, window_ms, refill)
  local state = redis.call('HMGET', key, 'tokens', 'at')
  local tokens, at = tonumber(state[1]) or limit, tonumber(state[2]) or now
  if now > at then
    tokens = math.min(limit, tokens + (now - at) * refill / window_ms)
    at = now
  end
  local whole = math.floor(tokens)
  return {
    allowed = whole > 0, remaining = whole,
    reset = whole == limit and 0 or (math.max(0, whole) + 1 - tokens) * window_ms / refill,
    acquire = function(count)
      redis.call('HSET', key, 'tokens', string.format('%.17g', tokens - count), 'at', string.format('%.0f', at))
      redis.call('PEXPIRE', key, math.ceil((limit - math.min(0, tokens - count)) * window_ms / refill) + window_ms)
    end,
  }
end`

/** Bursts, and a steady rate after them. A bucket fills up from empty in its quota's window. */
export const bucket: LimiterKind<SettingsOf<'bucket'>> = {
  create: ({ limit, refill, windowMs }) => new TokenBucket(limit, refill, windowMs),
  stateLength: () => 2,
  script: SCRIPT,
  scriptNumber: ({ refill }) => refill,
  windowMs: ({ windowMs }) => windowMs,
  quotaWindowMs: ({ windowMs, limit, refill }) => (windowMs * limit) / refill,
  holdsPermits: false,
  // Tokens that a gateway holds are not in the bucket, which would be refilled for them: both together would be more than the limit.
  partOf: (settings, parts) => ({
    ...settings,
    limit: limitPart(settings.limit, parts),
    windowMs: settings.windowMs * parts,
  }),
  remainingAfter: ({ limit, refill, windowMs }, { remaining }, elapsedMs) =>
    Math.min(limit, remaining + Math.floor((Math.max(0, elapsedMs) * refill) / windowMs)),
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

  isFresh(now: number): boolean {
    this.#advance(now)
    return this.#tokens === this.#limit
  }

  save(numbers: Float64Array): void {
    numbers[0] = this.#tokens
    numbers[1] = this.#at
  }

  restore(numbers: Float64Array): void {
    this.#tokens = numbers[0] ?? 0
    this.#at = numbers[1] ?? 0
  }

  #advance(now: number): void {
    if (now <= this.#at) return
    const gained = this.#at === Number.NEGATIVE_INFINITY ? 0 : (now - this.#at) * this.#tokensPerMs
    this.#tokens = Math.min(this.#limit, this.#tokens + gained)
    this.#at = now
  }
}
