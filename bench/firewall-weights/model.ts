/**
 * Fits weights to evidence: logistic regression in which a request scores as the best of its values does, no weight is negative, and a rule
 * keeps the weight by which it decides alone unless honest traffic says otherwise.
 *
 * Minimized is the loss of attacks by their best value, plus that of honest values, plus what it costs to take weight from a rule or to give some to a
 * sign. Both of these are linear, so that most weights stay where they begin: the list of the others is short. A small square beside it spreads what is
 * taken over rules that match together, so that none of them stands for all. Gradient descent with
 * projection and a fixed number of steps, in one order: the same samples give the same weights.
 */
import { BIAS, DECIDES } from '../../packages/firewall/src/scoring/weights.ts'

/** Rules of one class that matched in one value, and the names of the signs beside them. */
export interface FittedSet {
  readonly class: string
  readonly rules: readonly string[]
  readonly signs: readonly string[]
  /** Whether the text is code, where rules have weights of their own. */
  readonly isCode: boolean
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
  /** By rule, what it weighs in code where it does not decide alone. */
  readonly inCode: ReadonlyMap<string, number>
  /** By class and name. */
  readonly signs: ReadonlyMap<string, number>
}

const codeKey = (rule: string): string => `${rule}\ncode`
export const signKey = (className: string, sign: string): string => `${className}\n${sign}`

export interface FitOptions {
  /** How much an honest value counts against an attack. */
  readonly honestCost: number
  /** What each unit costs that a rule is taken, or a sign is given. */
  readonly ruleCost: number
  /** What its square costs. */
  readonly ruleSpread: number
  readonly signCost: number
  readonly steps: number
}

const SIGN_MAX = 5

/** Parameters: rules first, then signs. */
interface Parameters {
  readonly indices: Map<string, number>
  readonly values: Float64Array
  readonly ruleCount: number
}

export function fit(samples: readonly FittedSample[], options: FitOptions): FittedModel {
  const parameters = emptyParameters(samples)
  const { values, ruleCount, indices } = parameters
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
      const taken = DECIDES - (values[index] ?? 0)
      const pull = isRule ? -options.ruleCost - options.ruleSpread * taken : options.signCost
      const moved = (values[index] ?? 0) - ((slope[index] ?? 0) + pull) / (curvature[index] ?? 1)
      values[index] = Math.min(isRule ? DECIDES : SIGN_MAX, Math.max(0, moved))
    }
  }
  return modelOf(parameters)
}

function modelOf({ indices, values, ruleCount }: Parameters): FittedModel {
  const all = [...indices].map(([name, index]) => [name, rounded(values[index] ?? 0), index] as const)
  const ofRules = all.filter(([, , index]) => index < ruleCount)
  const differing = (isCode: boolean): Map<string, number> =>
    new Map(
      ofRules.flatMap(([name, value]) => {
        const [rule = '', code] = name.split('\n')
        return (code !== undefined) === isCode && value < DECIDES ? [[rule, value]] : []
      }),
    )
  return {
    rules: differing(false),
    inCode: differing(true),
    signs: new Map(
      all.flatMap(([name, value, index]) => (index >= ruleCount && value > 0 ? [[name, value]] : [])),
    ),
  }
}

const rounded = (value: number): number => Math.round(value * 10) / 10

function emptyParameters(samples: readonly FittedSample[]): Parameters {
  const sets = samples.flatMap((sample) => sample.sets)
  const rules = [...new Set(sets.flatMap(ruleKeysOf))].sort()
  const signs = [...new Set(sets.flatMap((set) => set.signs.map((sign) => signKey(set.class, sign))))].sort()
  const values = new Float64Array(rules.length + signs.length).fill(DECIDES, 0, rules.length)
  return {
    indices: new Map([...rules, ...signs].map((name, index) => [name, index])),
    values,
    ruleCount: rules.length,
  }
}

const ruleKeysOf = ({ rules, isCode }: FittedSet): readonly string[] => (isCode ? rules.map(codeKey) : rules)

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
