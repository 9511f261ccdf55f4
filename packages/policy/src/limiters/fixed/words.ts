import type { LimiterWords } from '../limiter-kind.ts'
import { countWords, windowWords } from '../quantity-words.ts'
import type { FixedSettings } from './fixed-window.ts'

export const fixedWords: LimiterWords<FixedSettings> = {
  rule: ({ limit, windowMs }) => `at most ${countWords(limit)} requests in each ${windowWords(windowMs)}`,
  comesBack: 'All of it is back',
}
