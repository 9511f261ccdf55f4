/**
 * The decision on a request, as one atomic step in Valkey: both limits are looked at before either is counted, by the
 * clock of the server, so that all gateways agree whatever their own clocks say. The rules of each kind are its own
 * (`limiters/` of the policy package).
 *
 * KEYS: one for each limit, both with the site's id as hash tag. ARGV: the id of the request, then for each limit its
 * kind, limit, windowMs and the kind's `scriptNumber`. An empty id looks without counting. Answers, for each limit: allowed (0 or 1), remaining before this request, milliseconds until there is more.
 */
import { LIMITER_KINDS } from '@sallyport/policy'

const KIND_FUNCTIONS = Object.entries(LIMITER_KINDS).map(([kind, { script }]) => `${kind} = ${script}`)

export const ACQUIRE_SCRIPT = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local lease_id = ARGV[1]

local kinds = {
${KIND_FUNCTIONS.join(',\n')}
}
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
if allowed and lease_id ~= '' then for _, limit in ipairs(limits) do limit.acquire() end end
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
