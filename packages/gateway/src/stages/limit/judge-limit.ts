/**
 * The limit stage: counts the request against the policy of its site, and refuses it with 429 where the policy, or the
 * researcher's share of it, is used up. Every answer under a policy says what is left.
 *
 * A policy that is not in the snapshot any more (the operator has removed it) limits nothing.
 */
import type { RateLimitPolicy } from '@sallyport/contract'
import { type Exchange, refuse, type Stage, type Verdict } from '../../exchange/exchange.ts'
import type { Counters, Decision } from './counters.ts'
import { addRateLimitHeaders } from './headers.ts'

export const createLimitStage =
  (counters: Counters): Stage =>
  (exchange) => {
    const { site, researcher } = exchange
    // Preflights have a pace of their own: what anybody may send must not use up what researchers share.
    if (!site || site.config.rateLimit === '' || exchange.isForwardedPreflight) return null
    const policy = exchange.snapshot.policy(site.config.rateLimit)
    if (!policy) return null
    const decision = counters.acquire(site.config.id, researcher?.id ?? '', policy)
    return decision instanceof Promise
      ? decision.then((settled) => conclude(exchange, policy, settled))
      : conclude(exchange, policy, decision)
  }

function conclude(exchange: Exchange, policy: RateLimitPolicy, decision: Decision): Verdict {
  addRateLimitHeaders(exchange.responseHeaders, policy, decision)
  if (decision.release) exchange.onEnd(decision.release)
  if (decision.refusedBy === null) return null
  const byShare = decision.refusedBy === 'researcher'
  const resetMs = (byShare ? decision.researcher : decision.site)?.resetMs ?? 0
  return refuse(429, 'limit', byShare ? 'researcher_share' : 'rate_limit', {
    rule: policy.name,
    retryAfterS: Math.max(1, Math.ceil(resetMs / 1000)),
  })
}
