import { type Budget, type Limiter, type LimiterKind, limitPart, type SettingsOf } from './limiter-kind.ts'

/** The arithmetic as Valkey runs it: see `LimiterKind.script`. */
const SCRIPT = `function(key, limit, window_ms, segments)
  local segment_ms = window_ms / segments
  local segment = math.floor(now / segment_ms)
  local used, oldest, newest, gone = 0, nil, segment, {}
  local counts = redis.call('HGETALL', key)
  for i = 1, #counts, 2 do newest = math.max(newest, tonumber(counts[i])) end
  segment = newest
  for i = 1, #counts, 2 do
    local number = tonumber(counts[i])
    if number < segment - segments then gone[#gone + 1] = counts[i]
    else
      used = used + tonumber(counts[i + 1])
      oldest = math.min(oldest or number, number)
    end
  end
  return {
    allowed = used < limit, remaining = limit - used,
    reset = oldest and (oldest + segments + 1) * segment_ms - now or 0,
    segment = segment, segment_end = (segment + 1) * segment_ms,
    give_back = function(number, count)
      local field = string.format('%.0f', number)
      local counted = tonumber(redis.call('HGET', key, field)) or 0
      if counted > 0 then redis.call('HINCRBY', key, field, -math.min(counted, count)) end
    end,
    acquire = function(count)
      if #gone > 0 then redis.call('HDEL', key, unpack(gone)) end
      redis.call('HINCRBY', key, string.format('%.0f', segment), count)
      redis.call('PEXPIRE', key, math.max(1, math.ceil((segment + segments + 2) * segment_ms - now)))
    end,
  }
end`

/** A window that moves with the clock. */
export const sliding: LimiterKind<SettingsOf<'sliding'>> = {
  create: ({ limit, windowMs, segments }) => new SlidingWindow(limit, windowMs, segments),
  stateLength: ({ segments }) => segments + 3,
  script: SCRIPT,
  scriptNumber: ({ segments }) => segments,
  windowMs: ({ windowMs }) => windowMs,
  quotaWindowMs: ({ windowMs }) => windowMs,
  holdsPermits: false,
  partOf: (settings, parts) => ({ ...settings, limit: limitPart(settings.limit, parts) }),
  // When which of them are forgotten is not known: all of them, a segment after the window at the latest.
  remainingAfter: ({ limit, windowMs, segments }, { remaining }, elapsedMs) =>
    elapsedMs < windowMs + windowMs / segments ? remaining : limit,
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

  acquire(now: number): void {
    this.#advance(now)
    const index = this.#segment % this.#counts.length
    this.#counts[index] = (this.#counts[index] ?? 0) + 1
    this.#used += 1
  }

  isFresh(now: number): boolean {
    this.#advance(now)
    return this.#used === 0
  }

  save(numbers: Float64Array): void {
    numbers[0] = this.#segment
    numbers[1] = this.#used
    numbers.set(this.#counts, 2)
  }

  restore(numbers: Float64Array): void {
    this.#segment = numbers[0] ?? 0
    this.#used = numbers[1] ?? 0
    for (let index = 0; index < this.#counts.length; index += 1) this.#counts[index] = numbers[index + 2] ?? 0
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
