/** Weighs the evidence of a class in one value. */
import { OUTSIDE_CODE, SIGNS, signsFor } from './signs.ts'
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
}

interface WeighedSign {
  readonly bit: number
  readonly weight: number
}

export function createScorer(weights: Weights): Scorer {
  const rules = new Map(Object.entries(weights.rules))
  const inCode = new Map(Object.entries(weights.inCode))
  const signsByClass = new Map(
    Object.entries(weights.signs).map(([className, byName]) => [className, weighedSigns(className, byName)]),
  )
  return {
    score({ class: className, rules: matched, signs }) {
      let sum = 0
      let isEmpty = true
      const weightOf = (signs & OUTSIDE_CODE) === 0 ? inCode : rules
      for (const rule of matched) {
        sum += weightOf.get(rule) ?? DECIDES
        isEmpty = false
      }
      if (isEmpty) return 0
      for (const { bit, weight } of signsByClass.get(className) ?? []) if ((signs & bit) !== 0) sum += weight
      return scoreOf(sum)
    },
  }
}

const weighedSigns = (className: string, byName: Readonly<Record<string, number>>): WeighedSign[] =>
  SIGNS.map(({ name }, index) => ({ bit: 1 << index, weight: byName[name] ?? 0 })).filter(
    ({ bit, weight }) => weight > 0 && (signsFor(className) & bit) !== 0,
  )
