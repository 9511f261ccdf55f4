/**
 * Fits weights to evidence: logistic regression in which a request scores as the best of its values does, no weight is negative, and a rule
 * keeps the weight by which it decides alone unless honest traffic says otherwise. In code, where an injection looks like what is around it, a rule begins
 * below a hit instead, and attacks in code raise it as honest code lowers it.
 *
 * Minimized is the loss of attacks by their best value, plus that of honest values, plus what it costs to take weight from a rule or to give some to a
 * sign. Both of these are linear, so that most weights stay where they begin: the list of the others is short. A small square beside it spreads what is
 * taken over rules that match together, so that none of them stands for all. Gradient descent with
 * projection and a fixed number of steps, in one order: the same samples give the same weights.
 */
import type { Surroundings } from '../../packages/firewall/src/scoring/signs.ts'
import { BIAS, DECIDES } from '../../packages/firewall/src/scoring/weights.ts'

/** Rules of one class that matched in one value, and the names of the signs beside them. */
export interface FittedSet {
  readonly class: string
  readonly rules: readonly string[]
  readonly signs: readonly string[]
  /** Rules have weights of their own in each. */
  readonly surroundings: Surroundings
}

/** Requests that give the same evidence. */
export interface FittedSample {
  readonly isAttack: boolean
  readonly sets: readonly FittedSet[]
  /** How much they count. */
  readonly weight: number
}

export interface FittedModel {
  /** By rule, where it does not decide alone. */
  readonly rules: ReadonlyMap<string, number>
  /** By rule, what it weighs in code where samples moved it. */
  readonly inCode: ReadonlyMap<string, number>
  /** By rule, what it weighs in a line that is unlike the code around it where it does not decide alone. */
  readonly inStrayLines: ReadonlyMap<string, number>
  /** By class and name. */
  readonly signs: ReadonlyMap<string, number>
}

const ruleKey = (rule: string, surroundings: Surroundings): string => `${rule}\n${surroundings}`
export const signKey = (className: string, sign: string): string => `${className}\n${sign}`

export interface FitOptions {
  /** How much an honest value counts against an attack. */
  readonly honestCost: number
  /** What each unit costs by which a rule is moved, or that a sign is given. */
  readonly ruleCost: number
  /** What its square costs. */
  readonly ruleSpread: number
  readonly signCost: number
  /** Rules about what no program has, which begin in code as they do elsewhere. */
  readonly decideInCode: ReadonlySet<string>
  readonly steps: number
}

const SIGN_MAX = 5

/** What a rule weighs in code that no sample speaks of: alone its score is 0.23, below every level; with another it is a hit. */
export const IN_CODE = 2.8

/** Parameters: rules first, then signs. */
interface Parameters {
  readonly indices: Map<string, number>
  readonly values: Float64Array
  /** What they are without samples. */
  readonly priors: Float64Array
  readonly ruleCount: number
}

export function fit(samples: readonly FittedSample[], options: FitOptions): FittedModel {
  const parameters = emptyParameters(samples, options)
  const { values, priors, ruleCount, indices } = parameters
  const prepared = samples.map(({ isAttack, sets, weight }) => ({
    isAttack,
    weight,
    sets: sets.map((set) => indicesOf(set, indices)),
  }))
  const slope = new Float64Array(values.length)
  const curvature = new Float64Array(values.length)
  for (let step = 0; step < options.steps; step++) {
    slope.fill(0)
    curvature.fill(0.05 + options.ruleSpread)
    for (const { isAttack, weight, sets } of prepared)
      for (const set of isAttack ? [bestOf(sets, values)] : sets) {
        const score = 1 / (1 + Math.exp(-sumOf(set, values)))
        const cost = weight * (isAttack ? 1 : options.honestCost)
        for (const index of set) {
          slope[index] = (slope[index] ?? 0) + cost * (isAttack ? score - 1 : score)
          curvature[index] = (curvature[index] ?? 0) + cost * 0.25 * set.length
        }
      }
    for (let index = 0; index < values.length; index++) {
      const isRule = index < ruleCount
      const [prior, value, curved] = [priors[index] ?? 0, values[index] ?? 0, curvature[index] ?? 1]
      const spread = isRule ? options.ruleSpread * (value - prior) : 0
      const away = value - ((slope[index] ?? 0) + spread) / curved - prior
      const kept = Math.max(0, Math.abs(away) - (isRule ? options.ruleCost : options.signCost) / curved)
      values[index] = Math.min(isRule ? DECIDES : SIGN_MAX, Math.max(0, prior + Math.sign(away) * kept))
    }
  }
  return modelOf(parameters)
}

function modelOf({ indices, values, ruleCount }: Parameters): FittedModel {
  const all = [...indices].map(([name, index]) => [name, rounded(values[index] ?? 0), index] as const)
  const ofRules = all.filter(([, , index]) => index < ruleCount)
  const differing = (wanted: Surroundings): Map<string, number> =>
    new Map(
      ofRules.flatMap(([name, value]) => {
        const [rule = '', surroundings] = name.split('\n')
        return surroundings === wanted && (wanted === 'code' || value < DECIDES) ? [[rule, value]] : []
      }),
    )
  return {
    rules: differing('text'),
    inCode: differing('code'),
    inStrayLines: differing('stray line'),
    signs: new Map(
      all.flatMap(([name, value, index]) => (index >= ruleCount && value > 0 ? [[name, value]] : [])),
    ),
  }
}

const rounded = (value: number): number => Math.round(value * 10) / 10

function emptyParameters(samples: readonly FittedSample[], { decideInCode }: FitOptions): Parameters {
  const sets = samples.flatMap((sample) => sample.sets)
  const rules = [...new Set(sets.flatMap(ruleKeysOf))].sort()
  const signs = [...new Set(sets.flatMap((set) => set.signs.map((sign) => signKey(set.class, sign))))].sort()
  const priors = new Float64Array(rules.length + signs.length)
  for (const [index, key] of rules.entries()) {
    const [rule = '', surroundings] = key.split('\n')
    priors[index] = surroundings === 'code' && !decideInCode.has(rule) ? IN_CODE : DECIDES
  }
  return {
    indices: new Map([...rules, ...signs].map((name, index) => [name, index])),
    values: priors.slice(),
    priors,
    ruleCount: rules.length,
  }
}

const ruleKeysOf = ({ rules, surroundings }: FittedSet): readonly string[] =>
  rules.map((rule) => ruleKey(rule, surroundings))

const indicesOf = (set: FittedSet, indices: ReadonlyMap<string, number>): readonly number[] =>
  [...ruleKeysOf(set), ...set.signs.map((sign) => signKey(set.class, sign))].map(
    (name) => indices.get(name) ?? 0,
  )

const sumOf = (set: readonly number[], values: Float64Array): number =>
  set.reduce((sum, index) => sum + (values[index] ?? 0), BIAS)

function bestOf(sets: readonly (readonly number[])[], values: Float64Array): readonly number[] {
  let best: readonly number[] = []
  let most = Number.NEGATIVE_INFINITY
  for (const set of sets) {
    const sum = sumOf(set, values)
    if (sum > most) {
      most = sum
      best = set
    }
  }
  return best
}
