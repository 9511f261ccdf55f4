/** The arithmetic as Valkey runs it: see `LimiterKind.script`. */
export const SCRIPT = `function(key, limit, window_ms, segments)
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
    acquire = function()
      if #gone > 0 then redis.call('HDEL', key, unpack(gone)) end
      redis.call('HINCRBY', key, string.format('%.0f', segment), 1)
      redis.call('PEXPIRE', key, math.max(1, math.ceil((segment + segments + 2) * segment_ms - now)))
    end,
  }
end`
