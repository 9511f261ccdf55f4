/** What the conditions that matched in a request amount to: hits of rules, and tools betrayed. */
import type { FirewallHit } from '@sallyport/contract'
import { excerptOf } from './excerpt.ts'
import type { RequestValue } from './request/request-value.ts'
import type { CompiledRule, CompiledRules } from './rules/compiled-rules.ts'

/** A rule that matched, before the site's exclusions are looked at. */
export type AttackHit = Omit<FirewallHit, 'excluded'>

/** A condition that matched in a value. */
export interface ConditionMatch {
  readonly condition: number
  readonly address: string
  readonly matched: string
}

/**
 * More hits than a record keeps, so that exclusions can be applied before the rest is cut. Beyond that each rule keeps
 * one in each part, so that the many hits of one cannot displace another.
 */
const HITS_KEPT_MAX = 256
const HITS_OF_RULE_MAX = 8
const PARAMETER_CHARS_MAX = 256

/** Collects matches of one request. */
export interface Findings {
  add(value: RequestValue, matches: readonly ConditionMatch[]): void
  hits(): readonly AttackHit[]
  tools(): readonly string[]
}

export function createFindings(compiled: CompiledRules): Findings {
  const hits = new Map<string, AttackHit>()
  /** How many of them a rule has in a part. */
  const counts = new Map<string, number>()
  const tools = new Set<string>()
  const firstMatches = new Map<number, { value: RequestValue; matched: string }>()

  const blame = (rule: CompiledRule, value: RequestValue, matched: string): void => {
    if (rule.isSignal) {
      tools.add(rule.tool)
      return
    }
    const parameter = value.parameter.slice(0, PARAMETER_CHARS_MAX).toWellFormed()
    const place = `${rule.id} ${value.part}`
    const key = `${place} ${parameter}`
    const count = counts.get(place) ?? 0
    if (hits.has(key) || count >= (hits.size < HITS_KEPT_MAX ? HITS_OF_RULE_MAX : 1)) return
    counts.set(place, count + 1)
    const excerpt = excerptOf(parameter, matched)
    hits.set(key, {
      rule: rule.id,
      class: rule.class,
      severity: rule.severity,
      part: value.part,
      parameter,
      excerpt,
    })
  }

  return {
    add(value, matches) {
      const counted = matches.filter((match) => !isExcepted(compiled, value, match))
      const matchedHere = new Set(counted.map((match) => match.condition))
      for (const { condition, matched } of counted) {
        if (!firstMatches.has(condition)) firstMatches.set(condition, { value, matched })
        for (const rule of compiled.rulesByCondition[condition] ?? [])
          if (isCompleteIn(rule, matchedHere)) blame(rule, value, matched)
      }
    },
    hits() {
      for (const rule of rulesAcrossValues(compiled, firstMatches)) {
        const [first] = rule.conditions
        const found = first && firstMatches.get(first.index)
        if (found && isComplete(rule, firstMatches)) blame(rule, found.value, found.matched)
      }
      return [...hits.values()]
    },
    tools: () => [...tools],
  }
}

function isExcepted(compiled: CompiledRules, value: RequestValue, match: ConditionMatch): boolean {
  const except = compiled.conditions[match.condition]?.except
  return except?.get(match.address)?.test(value.parameter) === true
}

/** Whether one value settles the rule: its only condition, or all of those that must hold in one value. */
function isCompleteIn(rule: CompiledRule, matched: ReadonlySet<number>): boolean {
  if (rule.conditions.length > 1 && !rule.sameValue) return false
  return isComplete(rule, matched)
}

const isComplete = (rule: CompiledRule, matched: { has(condition: number): boolean }): boolean =>
  rule.conditions.every((condition) => matched.has(condition.index))

function rulesAcrossValues(
  compiled: CompiledRules,
  matches: ReadonlyMap<number, unknown>,
): ReadonlySet<CompiledRule> {
  const rules = new Set<CompiledRule>()
  for (const condition of matches.keys())
    for (const rule of compiled.rulesByCondition[condition] ?? [])
      if (rule.conditions.length > 1 && !rule.sameValue) rules.add(rule)
  return rules
}
