/**
 * The evidence of one request: for each class of attack and each place, the sets of rules that matched in one value together. What
 * does not reach the lowest threshold is dropped at once, because to leave rules out only lowers a score.
 */
import type { FirewallHit, FirewallLevel } from '@sallyport/contract'
import { FIREWALL_LEVELS } from '@sallyport/contract/words'
import { excerptOf } from '../excerpt.ts'
import type { RequestValue } from '../request/request-value.ts'
import type { DeclaredTypeRule } from './declared-type.ts'
import { percentOf, reasonOf } from './reason.ts'
import type { ClassEvidence, Scorer } from './scorer.ts'
import { surroundingsOf } from './signs.ts'
import { THRESHOLDS } from './weights.ts'

/** A rule that matched in evidence enough for a hit, before the site's exclusions are looked at. */
export type AttackHit = Omit<FirewallHit, 'excluded'>

/** What of a rule hits are made of; every compiled rule has it. */
export type EvidenceRule = DeclaredTypeRule

/** What a site's exclusions and overrides are about. */
export type PlacedRule = Pick<AttackHit, 'rule' | 'part' | 'parameter'>

/** Rules of one class that matched in one value, with the text that did. */
export interface MatchedRules {
  readonly class: string
  readonly matched: ReadonlyMap<EvidenceRule, string>
  readonly signs: number
}

/** What is kept of them. */
export interface EvidenceSet {
  readonly class: string
  readonly part: AttackHit['part']
  readonly parameter: string
  /** Excerpts by rule. */
  readonly excerpts: ReadonlyMap<EvidenceRule, string>
  readonly signs: number
}

export interface Evidence {
  /** @param value where they matched */
  add(value: Pick<RequestValue, 'part' | 'parameter'>, matched: MatchedRules): void
  readonly sets: () => readonly EvidenceSet[]
  /** The hits of all sets that reach a level by the rules that `counts`. */
  hits(level: FirewallLevel, counts?: (hit: PlacedRule) => boolean): AttackHit[]
}

/** From the least to the most: no evidence at all, recorded as excluded, a hit, a hit that may refuse the request. */
const STANDINGS = ['off', 'excluded', 'counts', 'refuses'] as const
/** What a site's exclusions and overrides make of a rule in a place. */
export type Standing = (typeof STANDINGS)[number]
export type StandingOf = (hit: PlacedRule) => Standing

/**
 * More than a record keeps, so that the rest can be cut by what is grave. Beyond that each rule keeps one in each part, so that the many
 * hits of one cannot displace another. A set displaces only such as reach the same levels, by all of their rules and by those
 * alone that the site counts: two rules may refuse together where each refuses nothing beside one that is excluded.
 */
const HITS_KEPT_MAX = 256
const HITS_OF_RULE_MAX = 8
const PARAMETER_CHARS_MAX = 256

export function createEvidence(scorer: Scorer, standingOf: StandingOf = () => 'counts'): Evidence {
  /** By class and place. */
  const sets = new Map<string, EvidenceSet[]>()
  const counts = new Map<string, number>()
  const kept = new Map<string, number>()

  const levelOf = (evidence: ClassEvidence): FirewallLevel | undefined => {
    const score = scorer.score(evidence)
    return FIREWALL_LEVELS.find((each) => score >= THRESHOLDS[each])
  }

  /** The levels that a set reaches by its rules of each standing and above. */
  const reachOf = (
    { part }: Pick<RequestValue, 'part'>,
    parameter: string,
    evidence: ClassEvidence,
  ): string => {
    const placed = Array.from(evidence.rules, (rule) => ({
      rule,
      standing: STANDINGS.indexOf(standingOf({ rule, part, parameter })),
    }))
    return STANDINGS.map((_, least) => {
      const rules = placed.filter(({ standing }) => standing >= least).map(({ rule }) => rule)
      return levelOf({ ...evidence, rules }) ?? ''
    }).join()
  }

  /** Counts the rules of a set, where one of them has not enough hits yet in that part and of that reach. */
  const isTaken = (reach: string, part: string, rules: readonly string[]): boolean => {
    const keptOfReach = kept.get(reach) ?? 0
    const max = keptOfReach < HITS_KEPT_MAX ? HITS_OF_RULE_MAX : 1
    const places = rules.map((rule) => `${reach} ${rule} ${part}`)
    if (places.every((place) => (counts.get(place) ?? 0) >= max)) return false
    for (const place of places) counts.set(place, (counts.get(place) ?? 0) + 1)
    kept.set(reach, keptOfReach + places.length)
    return true
  }

  return {
    add(value, { class: className, matched, signs }) {
      const rules = Array.from(matched.keys(), ({ id }) => id)
      const evidence = { class: className, rules, signs }
      if (levelOf(evidence) === undefined) return
      const { part } = value
      const parameter = value.parameter.slice(0, PARAMETER_CHARS_MAX).toWellFormed()
      const place = `${className} ${part} ${parameter}`
      const others = sets.get(place) ?? []
      if (others.some((other) => holds(other, matched, signs))) return
      if (!isTaken(reachOf(value, parameter, evidence), part, rules)) return
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
          if ((hits.get(key)?.scorePercent ?? -1) < hit.scorePercent) hits.set(key, hit)
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
    const evidence = { class: className, rules: counted.map(([{ id }]) => id), signs }
    const score = scorer.score(evidence)
    if (score < THRESHOLDS[level]) return []
    const reason = reasonOf(
      scorer.partsOf(evidence),
      counted.map(([rule]) => rule),
      signs,
    )
    const scorePercent = percentOf(score)
    return counted.map(([{ id: rule, severity }, excerpt]) => ({
      ...{ rule, class: className, severity, part, parameter, excerpt, scorePercent, reason },
    }))
  }
}

/** Whether a set has all that another has. In code a rule may weigh more than elsewhere, so neither holds the other. */
const holds = (set: EvidenceSet, rules: ReadonlyMap<EvidenceRule, unknown>, signs: number): boolean =>
  surroundingsOf(set.signs) === surroundingsOf(signs) &&
  (set.signs & signs) === signs &&
  [...rules.keys()].every((rule) => set.excerpts.has(rule))
