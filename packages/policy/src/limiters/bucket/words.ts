import type { LimiterWords } from '../limiter-kind.ts'
import { countWords, windowWords } from '../quantity-words.ts'
import type { BucketSettings } from './token-bucket.ts'

export const bucketWords: LimiterWords<BucketSettings> = {
  rule: ({ limit, refill, windowMs }) =>
    `bursts of up to ${countWords(limit)} requests, refilled by ${countWords(refill)} every ${windowWords(windowMs)}`,
  comesBack: 'More comes back',
}
