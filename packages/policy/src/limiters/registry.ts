/** The kinds of limiters. A kind is a file beside this one, a line in this table, its words in `words.ts`, and a schema in the contract. */
import type { LimiterSettings, RateLimitPolicy } from '@sallyport/contract'
import { bucket } from './bucket.ts'
import { concurrency } from './concurrency.ts'
import { fixed } from './fixed.ts'
import type { Limiter, LimiterKind, LimiterWords, SettingsOf } from './limiter-kind.ts'
import { sliding } from './sliding.ts'
import { LIMITER_WORDS } from './words.ts'

type Kind = LimiterSettings['kind']

/** What counts. */
export const LIMITER_KINDS: { readonly [Name in Kind]: LimiterKind<SettingsOf<Name>> } = {
  fixed,
  sliding,
  bucket,
  concurrency,
}

/** The kind that some settings are of. */
// The compiler does not see that the kind of settings of one kind is that kind.
export const limiterKindOf = <Name extends Kind>(settings: SettingsOf<Name>): LimiterKind<SettingsOf<Name>> =>
  LIMITER_KINDS[settings.kind as Name]

/** A limiter of the kind that the settings name, in memory and unused. */
export const createLimiter = (settings: LimiterSettings): Limiter => limiterKindOf(settings).create(settings)

/** Whether a request under this policy has to be given back when it is over. */
export const holdsPermits = ({ site, perResearcher }: RateLimitPolicy): boolean =>
  limiterKindOf(site).holdsPermits || (perResearcher !== null && limiterKindOf(perResearcher).holdsPermits)

/** One limit, as a part of a sentence. */
export const limiterWords = <Name extends Kind>(settings: SettingsOf<Name>): string => {
  // The same as above.
  const words: LimiterWords<SettingsOf<Name>> = LIMITER_WORDS[settings.kind as Name]
  return words.rule(settings)
}

/** A policy in a sentence. */
export function policyWords({ site, perResearcher }: RateLimitPolicy): string {
  const share = perResearcher ? `; each researcher ${limiterWords(perResearcher)}` : ''
  return `The whole site: ${limiterWords(site)}${share}.`
}
