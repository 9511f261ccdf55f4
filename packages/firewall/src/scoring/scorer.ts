/** Weighs the evidence of a class in one value. */
import { OTHER_TYPE, OTHER_TYPE_NAME, OTHER_TYPE_WEIGHT, typeRuleWeight } from './declared-type.ts'
import { SIGNS, type Surroundings, signsFor, surroundingsOf } from './signs.ts'
import { DECIDES, scoreOf, type Weights } from './weights.ts'

/** What speaks for a class of attack in one value. */
export interface ClassEvidence {
  readonly class: string
  /** Ids of the rules of the class that matched. */
  readonly rules: Iterable<string>
  /** Signs in the texts where they matched, as bits. */
  readonly signs: number
}

export interface Scorer {
  /** From 0 to 1; 0 without a rule. */
  score(evidence: ClassEvidence): number
  /** What adds to the score, the weightiest first: ids of rules, and names of signs. */
  partsOf(evidence: ClassEvidence): readonly ScorePart[]
}

/** A rule or a sign, and what it adds to the sum of its class. */
export interface ScorePart {
  /** Undefined of a sign. */
  readonly rule?: string
  /** Undefined of a rule. */
  readonly sign?: string
  readonly weight: number
}

interface WeighedSign {
  readonly name: string
  readonly bit: number
  readonly weight: number
}

export function createScorer(weights: Weights): Scorer {
  const byRule: Readonly<Record<Surroundings, ReadonlyMap<string, number>>> = {
    text: new Map(Object.entries(weights.rules)),
    code: new Map(Object.entries(weights.inCode)),
    'stray line': new Map(Object.entries({ ...weights.rules, ...weights.inStrayLines })),
  }
  const signsByClass = new Map(
    Object.entries(weights.signs).map(([className, byName]) => [className, weighedSigns(className, byName)]),
  )
  return {
    partsOf({ class: className, rules: matched, signs }) {
      const weightOf = byRule[surroundingsOf(signs)]
      const ofRules = Array.from(matched, (rule) => ({ rule, weight: weightIn(weightOf, rule) }))
      const ofSigns = (signsByClass.get(className) ?? [])
        .filter(({ bit }) => (signs & bit) !== 0)
        .map(({ name, weight }) => ({ sign: name, weight }))
      if ((signs & OTHER_TYPE) !== 0) ofSigns.push({ sign: OTHER_TYPE_NAME, weight: OTHER_TYPE_WEIGHT })
      return [...ofRules, ...ofSigns]
        .filter(({ weight }) => weight > 0)
        .sort((one, other) => other.weight - one.weight)
    },
    score({ class: className, rules: matched, signs }) {
      let sum = 0
      let isEmpty = true
      const weightOf = byRule[surroundingsOf(signs)]
      for (const rule of matched) {
        sum += weightIn(weightOf, rule)
        isEmpty = false
      }
      if (isEmpty) return 0
      for (const { bit, weight } of signsByClass.get(className) ?? []) if ((signs & bit) !== 0) sum += weight
      if ((signs & OTHER_TYPE) !== 0) sum += OTHER_TYPE_WEIGHT
      return scoreOf(sum)
    },
  }
}

const weightIn = (weights: ReadonlyMap<string, number>, rule: string): number =>
  weights.get(rule) ?? typeRuleWeight(rule) ?? DECIDES

const weighedSigns = (className: string, byName: Readonly<Record<string, number>>): WeighedSign[] =>
  SIGNS.map(({ name }, index) => ({ name, bit: 1 << index, weight: byName[name] ?? 0 })).filter(
    ({ bit, weight }) => weight > 0 && (signsFor(className) & bit) !== 0,
  )
