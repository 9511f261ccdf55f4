import type { LimiterSettings, RateLimitPolicy } from '@sallyport/contract'
import { wholeNumber } from '../../design/number.ts'

/** A policy in a sentence. */
export function policyWords(policy: RateLimitPolicy): string {
  const share = policy.perResearcher ? `; each researcher ${limiterWords(policy.perResearcher)}` : ''
  return `The whole site: ${limiterWords(policy.site)}${share}.`
}

/** One limit, in words. */
export function limiterWords(limiter: LimiterSettings): string {
  const requests = `${wholeNumber(limiter.limit)} requests`
  if (limiter.kind === 'concurrency') return `at most ${requests} at once`
  const window = windowWords(limiter.windowMs)
  if (limiter.kind === 'fixed') return `at most ${requests} in each ${window}`
  if (limiter.kind === 'sliding') return `at most ${requests} in any ${window}`
  return `bursts of up to ${requests}, refilled by ${wholeNumber(limiter.refill)} every ${window}`
}

const UNITS: readonly (readonly [number, string])[] = [
  [86_400_000, 'day'],
  [3_600_000, 'hour'],
  [60_000, 'minute'],
  [1_000, 'second'],
]

function windowWords(windowMs: number): string {
  for (const [unitMs, unit] of UNITS) {
    if (windowMs % unitMs === 0) return windowMs === unitMs ? unit : `${windowMs / unitMs} ${unit}s`
  }
  return `${windowMs} ms`
}
