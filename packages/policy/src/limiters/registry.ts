/** The kinds of limiters. A kind is a folder beside this file, a line in each of the two tables, and a schema in the contract. */
import type { LimiterSettings, RateLimitPolicy } from '@sallyport/contract'
import { bucket } from './bucket/token-bucket.ts'
import { bucketWords } from './bucket/words.ts'
import { concurrency } from './concurrency/concurrency.ts'
import { concurrencyWords } from './concurrency/words.ts'
import { fixed } from './fixed/fixed-window.ts'
import { fixedWords } from './fixed/words.ts'
import type { Limiter, LimiterKind, LimiterWords } from './limiter-kind.ts'
import { sliding } from './sliding/sliding-window.ts'
import { slidingWords } from './sliding/words.ts'

type SettingsByKind = { readonly [Settings in LimiterSettings as Settings['kind']]: Settings }
type Kind = keyof SettingsByKind

/** What counts. */
export const LIMITER_KINDS: { readonly [Name in Kind]: LimiterKind<SettingsByKind[Name]> } = {
  fixed,
  sliding,
  bucket,
  concurrency,
}

/** What the console and the researcher's page say. Apart, so that neither of them carries what counts. */
export const LIMITER_WORDS: { readonly [Name in Kind]: LimiterWords<SettingsByKind[Name]> } = {
  fixed: fixedWords,
  sliding: slidingWords,
  bucket: bucketWords,
  concurrency: concurrencyWords,
}

/** The kind that some settings are of. */
// The compiler does not see that the kind of settings of one kind is that kind.
export const limiterKindOf = <Name extends Kind>(
  settings: SettingsByKind[Name],
): LimiterKind<SettingsByKind[Name]> => LIMITER_KINDS[settings.kind as Name]

/** A limiter of the kind that the settings name, in memory and unused. */
export const createLimiter = (settings: LimiterSettings): Limiter => limiterKindOf(settings).create(settings)

/** Whether a request under this policy has to be given back when it is over. */
export const holdsPermits = ({ site, perResearcher }: RateLimitPolicy): boolean =>
  limiterKindOf(site).holdsPermits || (perResearcher !== null && limiterKindOf(perResearcher).holdsPermits)

/** One limit, as a part of a sentence. */
export const limiterWords = <Name extends Kind>(settings: SettingsByKind[Name]): string => {
  // The same as above.
  const words: LimiterWords<SettingsByKind[Name]> = LIMITER_WORDS[settings.kind as Name]
  return words.rule(settings)
}

/** A policy in a sentence. */
export function policyWords({ site, perResearcher }: RateLimitPolicy): string {
  const share = perResearcher ? `; each researcher ${limiterWords(perResearcher)}` : ''
  return `The whole site: ${limiterWords(site)}${share}.`
}
