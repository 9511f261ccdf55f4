/** Firewall hits over time, by rule. Hits that an exclusion let pass do not count. */
import type { Severity } from '@sallyport/contract'
import type { TrafficStore } from '../../../traffic-store/connection.ts'
import { countByBucket, type Scope } from './predicate.ts'

export interface RuleTimeline {
  readonly rule: string
  readonly class: string
  readonly severity: Severity
  readonly total: number
  /** Hits in each bucket. */
  readonly counts: number[]
}

interface Row {
  readonly rule: string
  readonly class: string
  readonly severity: Severity
  readonly hits: number
}

/** Rules that hit most come first; `RULES_MAX` at most. */
export const RULES_MAX = 500

export async function rulesTimeline(
  store: TrafficStore,
  scope: Scope,
  startsMs: readonly number[],
): Promise<RuleTimeline[]> {
  const rows = await countByBucket<Row>(store, scope, startsMs, {
    family: 'rules',
    columns: ['rule_kind', 'rule_name', 'class', 'severity', 'excluded', 'hits'],
    select: 'rule_name AS rule, any(class) AS class, any(severity) AS severity, sum(hits) AS hits',
    where: "WHERE rule_kind = 'firewall' AND NOT excluded",
    groupBy: 'rule_name',
  })
  const rules = new Map<
    string,
    Omit<RuleTimeline, 'total' | 'counts'> & { total: number; counts: number[] }
  >()
  for (const row of rows) {
    let rule = rules.get(row.rule)
    if (!rule) {
      rule = {
        rule: row.rule,
        class: row.class,
        severity: row.severity,
        total: 0,
        counts: startsMs.map(() => 0),
      }
      rules.set(row.rule, rule)
    }
    rule.total += row.hits
    rule.counts[row.bucket] = (rule.counts[row.bucket] ?? 0) + row.hits
  }
  return [...rules.values()]
    .sort((left, right) => right.total - left.total || (left.rule < right.rule ? -1 : 1))
    .slice(0, RULES_MAX)
}
