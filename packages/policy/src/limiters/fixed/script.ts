/** The arithmetic as Valkey runs it: see `LimiterKind.script`. */
export const SCRIPT = `function(key, limit, window_ms)
  local window = math.floor(now / window_ms)
  local state = redis.call('HMGET', key, 'window', 'used')
  local known, used = tonumber(state[1]) or window, tonumber(state[2]) or 0
  if window > known then used = 0 else window = known end
  return {
    allowed = used < limit, remaining = limit - used,
    reset = used == 0 and 0 or (window + 1) * window_ms - now,
    acquire = function()
      redis.call('HSET', key, 'window', window, 'used', used + 1)
      redis.call('PEXPIRE', key, math.max(1, (window + 2) * window_ms - now))
    end,
  }
end`
