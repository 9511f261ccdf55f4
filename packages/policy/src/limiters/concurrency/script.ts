import { CONCURRENCY_RESET_MS } from './reset.ts'

/** The arithmetic as Valkey runs it: see `LimiterKind.script`. */
export const SCRIPT = `function(key, limit, _, lease_ms)
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
