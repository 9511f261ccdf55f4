/** What the console and the researcher's page say of limits. Apart from what counts, which no page carries. */
import type { LimiterSettings } from '@sallyport/contract'
import type { LimiterWords, SettingsOf } from './limiter-kind.ts'
import { countWords, windowWords } from './quantity-words.ts'

export const LIMITER_WORDS: { readonly [Name in LimiterSettings['kind']]: LimiterWords<SettingsOf<Name>> } = {
  fixed: {
    rule: ({ limit, windowMs }) => `at most ${countWords(limit)} requests in each ${windowWords(windowMs)}`,
    comesBack: 'All of it is back',
  },
  sliding: {
    rule: ({ limit, windowMs }) => `at most ${countWords(limit)} requests in any ${windowWords(windowMs)}`,
    comesBack: 'More comes back',
  },
  bucket: {
    rule: ({ limit, refill, windowMs }) =>
      `bursts of up to ${countWords(limit)} requests, refilled by ${countWords(refill)} every ${windowWords(windowMs)}`,
    comesBack: 'More comes back',
  },
  concurrency: {
    rule: ({ limit }) => `at most ${countWords(limit)} requests at once`,
    comesBack: 'More comes back',
  },
}
