/**
 * What the evidence of a class adds up to. A rule that has no weight decides by itself, as one does that nobody has fitted: those that are
 * imported, and those that honest traffic does not trip. No weight is negative, so that nothing that is added to an attack lowers its score.
 */
export { FIREWALL_THRESHOLDS as THRESHOLDS } from '@sallyport/contract/words'

/** Weights that were fitted; see `bench/firewall-weights/`. */
export interface Weights {
  readonly version: string
  /** By rule. */
  readonly rules: Readonly<Record<string, number>>
  /** By rule, in a text that is code, where it does not decide alone. */
  readonly inCode: Readonly<Record<string, number>>
  /** By rule, in a line that is unlike the code around it, where that is less than in any other text. */
  readonly inStrayLines: Readonly<Record<string, number>>
  /** By class of attack and name of a sign. */
  readonly signs: Readonly<Record<string, Readonly<Record<string, number>>>>
}

/** Without evidence the score is 0.02. */
export const BIAS = -4
/** What a rule without a weight of its own counts: alone its score is 0.98. */
export const DECIDES = 8

/** Every rule decides by itself. */
export const NO_WEIGHTS: Weights = { version: 'none', rules: {}, inCode: {}, inStrayLines: {}, signs: {} }

/** The score of a sum of weights, from 0 to 1. */
export const scoreOf = (sum: number): number => 1 / (1 + Math.exp(-(BIAS + sum)))
