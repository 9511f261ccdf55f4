import { SEVERITIES } from '@sallyport/contract'
import type { TimelineSeries } from '../../design/timeline/timeline-scale.ts'

const RULES_SHOWN = 8
const COLOURS = [1, 2, 3, 4, 5, 6, 7, 8].map((index) => `--series-${index}`)

/** The colour of a rule by its rank; those beyond the shown ones share one. */
export const ruleColour = (rank: number): string => COLOURS[rank] ?? '--outcome-gate'

interface RuleCounts {
  readonly rule: string
  readonly counts: readonly number[]
}

/** The rules that matched most, each a series; the rest together. */
export function ruleSeries(rules: readonly RuleCounts[]): readonly TimelineSeries[] {
  const top = rules.slice(0, RULES_SHOWN).map((rule, index) => ({
    name: rule.rule,
    colour: ruleColour(index),
    values: rule.counts,
  }))
  const rest = rules.slice(RULES_SHOWN)
  if (rest.length === 0) return top
  const length = rules[0]?.counts.length ?? 0
  const sums = Array.from({ length }, (_, index) =>
    rest.reduce((sum, rule) => sum + (rule.counts[index] ?? 0), 0),
  )
  return [...top, { name: `${rest.length} more`, colour: '--outcome-gate', values: sums }]
}

/** The filter that leaves requests which a firewall rule matched. */
export const MATCHED = { severity: [...SEVERITIES] }
