/** The arithmetic as Valkey runs it: see `LimiterKind.script`. */
export const SCRIPT = `function(key, limit, window_ms, refill)
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
    acquire = function()
      redis.call('HSET', key, 'tokens', string.format('%.17g', tokens - 1), 'at', string.format('%.0f', at))
      redis.call('PEXPIRE', key, math.ceil(limit * window_ms / refill) + window_ms)
    end,
  }
end`
