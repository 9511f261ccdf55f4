/**
 * The `RateLimit-Policy` and `RateLimit` fields (draft-ietf-httpapi-ratelimit-headers-10): which limits there are, and
 * what is left of each. The share of a researcher is a policy of its own, named after the site's.
 */
import type { LimiterSettings, RateLimitPolicy } from '@sallyport/contract'
import { type Budget, limiterKindOf } from '@sallyport/policy'
import { perObject } from '@sallyport/toolbox'
import type { Decision } from './counters.ts'

/** Adds both fields, as name, value, name, value. */
export function addRateLimitHeaders(headers: string[], policy: RateLimitPolicy, decision: Decision): void {
  let field = describeBudget(policy.name, decision.site)
  if (decision.researcher) field += `, ${describeBudget(shareName(policy), decision.researcher)}`
  headers.push('RateLimit-Policy', policyOf(policy), 'RateLimit', field)
}

const shareName = (policy: RateLimitPolicy): string => `${policy.name}-researcher`

const policyOf = perObject((policy: RateLimitPolicy) => {
  const site = describeLimiter(policy.name, policy.site)
  return policy.perResearcher ? `${site}, ${describeLimiter(shareName(policy), policy.perResearcher)}` : site
})

/** `q` is the quota, `w` its window in whole seconds, `qu` what is counted where that is not requests. */
function describeLimiter(name: string, limiter: LimiterSettings): string {
  const windowMs = limiterKindOf(limiter).quotaWindowMs(limiter)
  const unit = windowMs === null ? 'qu="concurrent-requests"' : `w=${seconds(windowMs)}`
  return `"${name}";q=${limiter.limit};${unit}`
}

/** `r` is what is left, `t` the seconds until there is more. */
const describeBudget = (name: string, { remaining, resetMs }: Budget): string =>
  `"${name}";r=${Math.max(0, remaining)};t=${Math.ceil(resetMs / 1000)}`

const seconds = (milliseconds: number): number => Math.max(1, Math.ceil(milliseconds / 1000))
