/** What the conditions that matched in a request amount to: evidence of attacks, and tools betrayed. */
import type { FirewallLevel } from '@sallyport/contract'
import type { RequestValue } from './request/request-value.ts'
import type { CompiledRule, CompiledRules } from './rules/compiled-rules.ts'
import { isMistyped, type MistypedValue, OTHER_TYPE, typeRulesIn } from './scoring/declared-type.ts'
import {
  type AttackHit,
  createEvidence,
  type EvidenceSet,
  type PlacedRule,
  type Standing,
  type StandingOf,
} from './scoring/evidence.ts'
import type { Scorer } from './scoring/scorer.ts'
import { OUTSIDE_CODE } from './scoring/signs.ts'

/** A condition that matched in a value. */
export interface ConditionMatch {
  readonly condition: number
  readonly address: string
  readonly matched: string
  /** Signs in the text in which it matched, as bits. */
  readonly signs: number
}

/** Collects matches of one request. */
export interface Findings {
  add(value: RequestValue, matches: readonly ConditionMatch[]): void
  /** Hits at a level, by the rules that `counts`. */
  hits(level: FirewallLevel, counts?: (hit: PlacedRule) => boolean): readonly AttackHit[]
  evidence(): readonly EvidenceSet[]
  tools(): readonly string[]
}

/** A value that met a condition. */
interface MetCondition {
  readonly value: RequestValue
  readonly matched: string
  readonly signs: number
}

/** Collects them; most requests have none, and cost nothing here. */
export function createFindings(
  compiled: CompiledRules,
  scorer: Scorer,
  standingOf: StandingOf = () => 'counts',
  mistyped: readonly MistypedValue[] = [],
): Findings {
  let found: Findings | undefined
  const begun = (): Findings => {
    found ??= beginFindings(compiled, scorer, standingOf, mistyped)
    return found
  }
  if (mistyped.length > 0) begun()
  return {
    add: (value, matches) => begun().add(value, matches),
    hits: (level, counts) => found?.hits(level, counts) ?? [],
    evidence: () => found?.evidence() ?? [],
    tools: () => found?.tools() ?? [],
  }
}

function beginFindings(
  compiled: CompiledRules,
  scorer: Scorer,
  standingOf: StandingOf,
  mistyped: readonly MistypedValue[],
): Findings {
  const evidence = createEvidence(scorer, standingOf)
  const tools = new Set<string>()
  const met = new Set<number>()
  /** Of rules that several values may meet, the first to meet the first condition, for each that the site makes of the rule there. */
  const firstMet = new Map<CompiledRule, Map<Standing, MetCondition>>()
  let isWhole = false

  /** Rules that are complete in one value, by their class. */
  const blame = (value: RequestValue, rules: ReadonlyMap<CompiledRule, string>, signs: number): void => {
    const attacks = [...rules].filter(([rule]) => !rule.isSignal && !(rule.ownLines && hasOthersLines(value)))
    for (const [rule] of rules) if (rule.isSignal) tools.add(rule.tool)
    for (const [className, ofClass] of Map.groupBy(attacks, ([rule]) => rule.class))
      evidence.add(value, { class: className, matched: new Map(ofClass), signs })
  }

  const noteFirst = (rule: CompiledRule, found: MetCondition): void => {
    const { part, parameter } = found.value
    const standing = standingOf({ rule: rule.id, part, parameter })
    const known = firstMet.get(rule) ?? new Map<Standing, MetCondition>()
    if (!known.has(standing)) known.set(standing, found)
    firstMet.set(rule, known)
  }
  /** Rules whose conditions may be met by several values, each alone, in values that met the first. */
  const blameAcrossValues = (): void => {
    for (const [rule, found] of firstMet)
      if (isComplete(rule, met))
        for (const { value, matched, signs } of found.values())
          blame(value, new Map([[rule, matched]]), signs)
  }
  const finish = (): void => {
    if (!isWhole) blameAcrossValues()
    isWhole = true
  }

  for (const value of mistyped)
    for (const [rule, text] of typeRulesIn(value))
      evidence.add(value, {
        class: rule.class,
        matched: new Map([[rule, text]]),
        signs: OTHER_TYPE | OUTSIDE_CODE,
      })

  return {
    add(value, matches) {
      isWhole = false
      const counted = matches.filter((match) => !isExcepted(compiled, value, match))
      const matchedHere = new Set(counted.map((match) => match.condition))
      const rules = new Map<CompiledRule, string>()
      let allSigns = 0
      const otherType = mistyped.length > 0 && isMistyped(mistyped, value) ? OTHER_TYPE : 0
      for (const { condition, matched, signs } of counted) {
        const placed = placedSigns(value, signs) | otherType
        allSigns |= placed
        met.add(condition)
        for (const rule of compiled.rulesByCondition[condition] ?? []) {
          if (!rules.has(rule) && isCompleteIn(rule, matchedHere)) rules.set(rule, matched)
          if (isAcrossValues(rule) && rule.conditions[0]?.index === condition)
            noteFirst(rule, { value, matched, signs: placed })
        }
      }
      if (rules.size > 0) blame(value, rules, allSigns)
    },
    hits(level, counts) {
      finish()
      return evidence.hits(level, counts)
    },
    evidence() {
      finish()
      return evidence.sets()
    },
    tools: () => [...tools],
  }
}

/**
 * Bodies and files hold code; lines that are values of their own make up none. What can be read in a font or a compiled program says as little
 * as code does: it holds names, messages and paths of programs, and no reader of text gets over its beginning.
 */
function placedSigns({ part, isJoined, isData }: RequestValue, signs: number): number {
  if (isData) return signs & ~OUTSIDE_CODE
  return (part === 'body' || part === 'file') && !isJoined ? signs : signs | OUTSIDE_CODE
}

const hasOthersLines = ({ isJoined, isData }: RequestValue): boolean => isJoined === true || isData === true

function isExcepted(compiled: CompiledRules, value: RequestValue, match: ConditionMatch): boolean {
  const except = compiled.conditions[match.condition]?.except
  return except?.get(match.address)?.test(value.parameter) === true
}

/** Whether one value settles the rule: its only condition, or all of those that must hold in one value. */
function isCompleteIn(rule: CompiledRule, matched: ReadonlySet<number>): boolean {
  return !isAcrossValues(rule) && isComplete(rule, matched)
}

const isComplete = (rule: CompiledRule, matched: { has(condition: number): boolean }): boolean =>
  rule.conditions.every((condition) => matched.has(condition.index))

const isAcrossValues = (rule: CompiledRule): boolean => rule.conditions.length > 1 && !rule.sameValue
