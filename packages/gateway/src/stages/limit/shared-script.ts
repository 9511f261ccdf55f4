/**
 * The decision on a request, as one atomic step in Valkey: both limits are looked at before either is counted, by the
 * clock of the server, so that all gateways agree whatever their own clocks say. The rules are those of `limiter.ts`.
 *
 * KEYS: one for each limit, both with the site's id as hash tag. ARGV: the id of the request, then for each limit its
 * kind, limit, windowMs and a last number (segments of a sliding window, refill of a bucket, lease of concurrency in ms).
 * An empty id looks without counting. Answers, for each limit: allowed (0 or 1), remaining before this request, milliseconds until there is more.
 */
import { CONCURRENCY_RESET_MS } from './limiter.ts'

export const TAKE_SCRIPT = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local lease_id = ARGV[1]

local function fixed(key, limit, window_ms)
  local window = math.floor(now / window_ms)
  local state = redis.call('HMGET', key, 'window', 'used')
  local known, used = tonumber(state[1]) or window, tonumber(state[2]) or 0
  if window > known then used = 0 else window = known end
  return {
    allowed = used < limit, remaining = limit - used,
    reset = used == 0 and 0 or (window + 1) * window_ms - now,
    take = function()
      redis.call('HSET', key, 'window', window, 'used', used + 1)
      redis.call('PEXPIRE', key, math.max(1, (window + 2) * window_ms - now))
    end,
  }
end

local function sliding(key, limit, window_ms, segments)
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
    take = function()
      if #gone > 0 then redis.call('HDEL', key, unpack(gone)) end
      redis.call('HINCRBY', key, string.format('%.0f', segment), 1)
      redis.call('PEXPIRE', key, math.max(1, math.ceil((segment + segments + 2) * segment_ms - now)))
    end,
  }
end

local function bucket(key, limit, window_ms, refill)
  local state = redis.call('HMGET', key, 'tokens', 'at')
  local tokens, at = tonumber(state[1]) or limit, tonumber(state[2]) or now
  if now > at then
    tokens = math.min(limit, tokens + (now - at) * refill / window_ms)
    at = now
  end
  local whole = math.floor(tokens)
  return {
    allowed = whole > 0, remaining = whole,
    reset = whole == limit and 0 or (whole + 1 - tokens) * window_ms / refill,
    take = function()
      redis.call('HSET', key, 'tokens', string.format('%.17g', tokens - 1), 'at', string.format('%.0f', at))
      redis.call('PEXPIRE', key, math.ceil(limit * window_ms / refill) + window_ms)
    end,
  }
end

local function concurrency(key, limit, _, lease_ms)
  redis.call('ZREMRANGEBYSCORE', key, '-inf', now)
  local running = redis.call('ZCARD', key)
  return {
    allowed = running < limit, remaining = limit - running,
    reset = running == 0 and 0 or ${CONCURRENCY_RESET_MS},
    take = function()
      redis.call('ZADD', key, now + lease_ms, lease_id)
      redis.call('PEXPIRE', key, lease_ms * 2)
    end,
  }
end

local kinds = { fixed = fixed, sliding = sliding, bucket = bucket, concurrency = concurrency }
local limits, answer, allowed = {}, {}, true
for i, key in ipairs(KEYS) do
  local at = 2 + (i - 1) * 4
  local limit = kinds[ARGV[at]](key, tonumber(ARGV[at + 1]), tonumber(ARGV[at + 2]), tonumber(ARGV[at + 3]))
  limits[i] = limit
  allowed = allowed and limit.allowed
  answer[#answer + 1] = limit.allowed and 1 or 0
  answer[#answer + 1] = limit.remaining
  answer[#answer + 1] = math.ceil(limit.reset)
end
if allowed and lease_id ~= '' then for _, limit in ipairs(limits) do limit.take() end end
return answer
`

/** Prolongs the leases of requests that still run. KEYS: their sets. ARGV: lease in ms, then the lease of each key. */
export const RENEW_SCRIPT = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
for i, key in ipairs(KEYS) do
  redis.call('ZADD', key, 'XX', now + ARGV[1], ARGV[i + 1])
  redis.call('PEXPIRE', key, ARGV[1] * 2)
end
return 0
`
