import type { LimiterWords } from '../limiter-kind.ts'
import { countWords } from '../quantity-words.ts'
import type { ConcurrencySettings } from './concurrency.ts'

export const concurrencyWords: LimiterWords<ConcurrencySettings> = {
  rule: ({ limit }) => `at most ${countWords(limit)} requests at once`,
  comesBack: 'More comes back',
}
