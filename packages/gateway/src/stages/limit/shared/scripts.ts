/**
 * What is done in Valkey, each as one atomic step, by the clock of the server, so that all gateways agree whatever their own clocks say.
 * The rules of each kind are its own (`limiters/` of the policy package).
 */
import { createHash } from 'node:crypto'
import { LIMITER_KINDS } from '@sallyport/policy'

/** A script and the digest by which a server knows it that has run it before. */
export interface Script {
  readonly text: string
  readonly digest: string
}

const script = (text: string): Script => ({ text, digest: createHash('sha1').update(text).digest('hex') })

const KIND_FUNCTIONS = Object.entries(LIMITER_KINDS).map(([kind, { script }]) => `${kind} = ${script}`)

const CLOCK = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
`

/** `limit_at` makes the limit of a key from four arguments: its kind, limit, windowMs and the kind's `scriptNumber`. */
const LIMITS = `${CLOCK}
local lease_id = ''
local kinds = {
${KIND_FUNCTIONS.join(',\n')}
}
local function limit_at(i, at)
  return kinds[ARGV[at]](KEYS[i], tonumber(ARGV[at + 1]), tonumber(ARGV[at + 2]), tonumber(ARGV[at + 3]))
end
`

/**
 * The decision on requests: all limits are looked at before any is counted, and as many requests are counted in each as are within all.
 * Where that is all of them, a limit may lend more, for requests to come: up to a part of what is left.
 *
 * KEYS: one for each limit, all with the site's id as hash tag. ARGV: the id of the permits, how many requests, and of what is left the part
 * that may be lent (as its divisor); then for each limit its four arguments, and how many are asked for to be lent. No requests count
 * nothing. Answers how many are counted; then for each limit what remained before, milliseconds until there is more, how many
 * are lent, their segment, and milliseconds until it ends.
 */
export const ACQUIRE = script(`${LIMITS}
lease_id = ARGV[1]
local wanted, divisor = tonumber(ARGV[2]), tonumber(ARGV[3])
local limits, counted = {}, wanted
for i in ipairs(KEYS) do
  limits[i] = limit_at(i, 4 + (i - 1) * 5)
  counted = math.min(counted, math.max(0, limits[i].remaining))
end
local answer = { counted }
for i, limit in ipairs(limits) do
  local lent = 0
  if limit.segment and counted == wanted then
    local left = limit.remaining - counted
    lent = math.max(0, math.min(tonumber(ARGV[8 + (i - 1) * 5]), math.floor(left / divisor)))
  end
  answer[#answer + 1] = limit.remaining
  answer[#answer + 1] = math.ceil(limit.reset)
  answer[#answer + 1] = lent
  answer[#answer + 1] = string.format('%.0f', limit.segment or 0)
  answer[#answer + 1] = limit.segment and math.floor(limit.segment_end - now) or 0
  if counted + lent > 0 then limit.acquire(counted + lent) end
end
return answer
`)

/** Takes back what was lent and not used. KEYS: limits. ARGV: for each its four arguments, the segment, how many. */
export const GIVE_BACK = script(`${LIMITS}
for i in ipairs(KEYS) do
  local at = 1 + (i - 1) * 6
  limit_at(i, at).give_back(tonumber(ARGV[at + 4]), tonumber(ARGV[at + 5]))
end
return {}
`)

/**
 * Tells the server what it does not know. KEYS: limits. ARGV: for each its four arguments; how much may be left at most (it has
 * forgotten what was counted), or -1; how many requests were let through without it.
 */
export const CORRECT = script(`${LIMITS}
for i in ipairs(KEYS) do
  local at = 1 + (i - 1) * 6
  local limit, most, made = limit_at(i, at), tonumber(ARGV[at + 4]), tonumber(ARGV[at + 5])
  if most >= 0 and limit.remaining > most then made = made + limit.remaining - most end
  if made > 0 then limit.acquire(made) end
end
return {}
`)

/** Prolongs permits of requests that still run, or tells a server of them that has forgotten. KEYS: their sets. ARGV: how long in ms, then the id of each. */
export const RENEW = script(`${CLOCK}
for i, key in ipairs(KEYS) do
  redis.call('ZADD', key, now + ARGV[1], ARGV[i + 1])
  redis.call('PEXPIRE', key, ARGV[1] * 2)
end
return {}
`)

/** Says that a gateway lives, and answers how many do. KEYS: their set. ARGV: its id, how long it is believed in ms. */
export const REGISTER = script(`${CLOCK}
redis.call('ZADD', KEYS[1], now + ARGV[2], ARGV[1])
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now)
redis.call('PEXPIRE', KEYS[1], ARGV[2] * 2)
return { redis.call('ZCARD', KEYS[1]) }
`)
