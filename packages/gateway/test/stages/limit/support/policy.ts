import type { RateLimitPolicy } from '@sallyport/contract'

/** Three requests at a time at a site, unless the test says otherwise. */
export const policy = (changes: Partial<RateLimitPolicy> = {}): RateLimitPolicy => ({
  name: 'test',
  site: { kind: 'concurrency', limit: 3 },
  perResearcher: null,
  ...changes,
})
