/**
 * The evidence of one request: for each class of attack and each place, the sets of rules that matched in one value together. What
 * does not reach the lowest threshold is dropped at once, because to leave rules out only lowers a score.
 */
import type { FirewallHit, FirewallLevel } from '@sallyport/contract'
import { FIREWALL_LEVELS } from '@sallyport/contract/words'
import { excerptOf } from '../excerpt.ts'
import type { RequestValue } from '../request/request-value.ts'
import type { CompiledRule } from '../rules/compiled-rules.ts'
import type { Scorer } from './scorer.ts'
import { THRESHOLDS } from './weights.ts'

/** A rule that matched in evidence enough for a hit, before the site's exclusions are looked at. */
export type AttackHit = Omit<FirewallHit, 'excluded'>

/** What a site's exclusions and overrides are about. */
export type PlacedRule = Pick<AttackHit, 'rule' | 'part' | 'parameter'>

/** Rules of one class that matched in one value, with the text that did. */
export interface MatchedRules {
  readonly class: string
  readonly matched: ReadonlyMap<CompiledRule, string>
  readonly signs: number
}

/** What is kept of them. */
export interface EvidenceSet {
  readonly class: string
  readonly part: AttackHit['part']
  readonly parameter: string
  /** Excerpts by rule. */
  readonly excerpts: ReadonlyMap<CompiledRule, string>
  readonly signs: number
}

export interface Evidence {
  add(value: RequestValue, matched: MatchedRules): void
  readonly sets: () => readonly EvidenceSet[]
  /** The hits of all sets that reach a level by the rules that `counts`. */
  hits(level: FirewallLevel, counts?: (hit: PlacedRule) => boolean): AttackHit[]
}

/** Whether a site judges hits in a parameter otherwise than those in others: by an exclusion or an override. */
export type IsNamed = (parameter: string) => boolean

/**
 * More than a record keeps, so that exclusions can be applied before the rest is cut. Beyond that each rule keeps one in each part, so
 * that the many hits of one cannot displace another; what reaches a lower level displaces nothing of a higher one; and what is in
 * a parameter that the site's exclusions or overrides name displaces nothing elsewhere, nor the reverse.
 */
const HITS_KEPT_MAX = 256
const HITS_OF_RULE_MAX = 8
const PARAMETER_CHARS_MAX = 256

export function createEvidence(scorer: Scorer, isNamed: IsNamed = () => false): Evidence {
  /** By class and place. */
  const sets = new Map<string, EvidenceSet[]>()
  const counts = new Map<string, number>()
  const kept = new Map<FirewallLevel, number>()

  /** Counts the rules of a set, where one of them has not enough hits of that level in that place yet. */
  const isTaken = (level: FirewallLevel, place: string, rules: Iterable<CompiledRule>): boolean => {
    const keptOfLevel = kept.get(level) ?? 0
    const max = keptOfLevel < HITS_KEPT_MAX ? HITS_OF_RULE_MAX : 1
    const places = Array.from(rules, ({ id }) => `${level} ${id} ${place}`)
    if (places.every((place) => (counts.get(place) ?? 0) >= max)) return false
    for (const place of places) counts.set(place, (counts.get(place) ?? 0) + 1)
    kept.set(level, keptOfLevel + places.length)
    return true
  }

  return {
    add(value, { class: className, matched, signs }) {
      const score = scorer.score({ class: className, rules: idsOf(matched.keys()), signs })
      const level = FIREWALL_LEVELS.find((each) => score >= THRESHOLDS[each])
      if (level === undefined) return
      const { part } = value
      const parameter = value.parameter.slice(0, PARAMETER_CHARS_MAX).toWellFormed()
      const place = `${className} ${part} ${parameter}`
      const others = sets.get(place) ?? []
      const judgedAs = isNamed(parameter) ? `${part} ${parameter}` : part
      if (others.some((other) => holds(other, matched, signs)) || !isTaken(level, judgedAs, matched.keys()))
        return
      const excerpts = new Map(Array.from(matched, ([rule, text]) => [rule, excerptOf(parameter, text)]))
      const set = { class: className, part, parameter, excerpts, signs }
      sets.set(place, [...others.filter((other) => !holds(set, other.excerpts, other.signs)), set])
    },
    sets: () => [...sets.values()].flat(),
    hits(level, countsAs = () => true) {
      const hits = new Map<string, AttackHit>()
      for (const set of [...sets.values()].flat())
        for (const hit of hitsOf(set, level, countsAs)) {
          const key = `${hit.rule} ${hit.part} ${hit.parameter}`
          if (!hits.has(key)) hits.set(key, hit)
        }
      return [...hits.values()]
    },
  }

  function hitsOf(
    { class: className, part, parameter, excerpts, signs }: EvidenceSet,
    level: FirewallLevel,
    countsAs: (hit: PlacedRule) => boolean,
  ): AttackHit[] {
    const counted = [...excerpts].filter(([{ id: rule }]) => countsAs({ rule, part, parameter }))
    const rules = counted.map(([{ id }]) => id)
    if (scorer.score({ class: className, rules, signs }) < THRESHOLDS[level]) return []
    return counted.map(([{ id: rule, severity }, excerpt]) => ({
      ...{ rule, class: className, severity, part, parameter, excerpt },
    }))
  }
}

const holds = (set: EvidenceSet, rules: ReadonlyMap<CompiledRule, unknown>, signs: number): boolean =>
  (set.signs & signs) === signs && [...rules.keys()].every((rule) => set.excerpts.has(rule))

function* idsOf(rules: Iterable<CompiledRule>): Generator<string> {
  for (const { id } of rules) yield id
}
