/**
 * Rate-limit policies: the operator's configuration, in the vocabulary of ASP.NET's limiters. A policy limits a site as
 * a whole; `perResearcher`, where given, is a second limiter of the same kind that each researcher has on that site.
 */
import { z } from 'zod'

export const POLICY_NAME_CHARS_MAX = 64
const policyName = z.string().regex(/^[a-z][a-z0-9-]{0,63}$/, 'lower-case letters, digits and hyphens')
const permits = z.int().min(1).max(1_000_000)
const windowMs = z.int().min(100).max(86_400_000)

/** At most `limit` requests in each window of `windowMs`; windows are aligned to the epoch. */
const fixedLimiter = z.object({ kind: z.literal('fixed'), limit: permits, windowMs })
/** At most `limit` requests in any `windowMs`, counted in `segments` equal parts of it. */
const slidingLimiter = z.object({
  kind: z.literal('sliding'),
  limit: permits,
  windowMs,
  segments: z.int().min(2).max(100),
})
/** A bucket of `limit` tokens, refilled with `refill` tokens every `windowMs`, continuously. */
const bucketLimiter = z.object({
  kind: z.literal('bucket'),
  limit: permits,
  refill: permits,
  windowMs,
})
/** At most `limit` requests under way at once. */
const concurrencyLimiter = z.object({ kind: z.literal('concurrency'), limit: permits })

const limiterSettings = z.discriminatedUnion('kind', [
  fixedLimiter,
  slidingLimiter,
  bucketLimiter,
  concurrencyLimiter,
])
export type LimiterSettings = z.infer<typeof limiterSettings>

export const rateLimitPolicy = z.object({
  name: policyName,
  site: limiterSettings,
  perResearcher: limiterSettings.nullable(),
})
export type RateLimitPolicy = z.infer<typeof rateLimitPolicy>
