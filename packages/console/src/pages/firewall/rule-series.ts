import { SEVERITIES } from '@sallyport/contract'
import type { TimelineSeries } from '../../design/timeline/timeline-scale.ts'
import { attackColour, attackShade } from '../../parts/attack/attack-colours.ts'
import { texts } from './texts.ts'

const RULES_SHOWN = 8

interface RuleCounts {
  readonly rule: string
  readonly class: string
  readonly counts: readonly number[]
}

/** The colour of each rule: that of its class of attack, in another shade where a rule of that class stands before it. */
export function ruleColours(
  rules: readonly Pick<RuleCounts, 'rule' | 'class'>[],
): ReadonlyMap<string, string> {
  const seen = new Map<string, number>()
  return new Map(
    rules.map((rule) => {
      // Classes that are not known look alike, and so do those of one family.
      const colour = attackColour(rule.class)
      const index = seen.get(colour) ?? 0
      seen.set(colour, index + 1)
      return [rule.rule, attackShade(rule.class, index)]
    }),
  )
}

/** The rules that matched most, each a series, and the rest together; or one rule alone. */
export function ruleSeries(
  rules: readonly RuleCounts[],
  only: string | null = null,
): readonly TimelineSeries[] {
  const colours = ruleColours(rules)
  const single = (rule: RuleCounts): TimelineSeries => ({
    name: rule.rule,
    colour: colours.get(rule.rule) ?? attackColour(rule.class),
    values: rule.counts,
  })
  if (only !== null) return rules.filter(({ rule }) => rule === only).map(single)
  const top = rules.slice(0, RULES_SHOWN).map(single)
  const rest = rules.slice(RULES_SHOWN)
  if (rest.length === 0) return top
  const length = rules[0]?.counts.length ?? 0
  const sums = Array.from({ length }, (_, index) =>
    rest.reduce((sum, rule) => sum + (rule.counts[index] ?? 0), 0),
  )
  return [...top, { name: texts.more(rest.length), colour: attackColour(''), values: sums }]
}

/** The filter that leaves requests which a firewall rule matched. */
export const MATCHED = { severity: [...SEVERITIES] }
