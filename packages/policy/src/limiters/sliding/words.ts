import type { LimiterWords } from '../limiter-kind.ts'
import { countWords, windowWords } from '../quantity-words.ts'
import type { SlidingSettings } from './sliding-window.ts'

export const slidingWords: LimiterWords<SlidingSettings> = {
  rule: ({ limit, windowMs }) => `at most ${countWords(limit)} requests in any ${windowWords(windowMs)}`,
  comesBack: 'More comes back',
}
