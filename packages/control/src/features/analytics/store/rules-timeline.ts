/** Firewall hits over time, by rule. Hits that an exclusion let pass do not count. */
import type { Severity } from '@sallyport/contract'
import type { TrafficStore } from '../../../traffic-store/connection.ts'
import { bucketIndex, stepOf } from '../query/buckets.ts'
import { Parameters, type Scope, source } from './predicate.ts'

export interface RuleTimeline {
  readonly rule: string
  readonly class: string
  readonly severity: Severity
  readonly total: number
  /** Hits in each bucket. */
  readonly counts: number[]
}

interface Row {
  readonly step: number
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
  const step = stepOf(startsMs)
  const parameters = new Parameters()
  const columns = ['rule_kind', 'rule_name', 'class', 'severity', 'excluded', 'hits']
  const from = source(scope, 'rules', columns, parameters, step * 1000)
  const rows = await store.query<Row>(
    `SELECT intDiv(at, ${step}) AS step, rule_name AS rule, any(class) AS class, any(severity) AS severity,
       sum(hits) AS hits
     FROM ${from} WHERE rule_kind = 'firewall' AND NOT excluded GROUP BY step, rule_name`,
    parameters.values,
  )
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
    const index = bucketIndex(startsMs, row.step * step * 1000)
    rule.total += row.hits
    rule.counts[index] = (rule.counts[index] ?? 0) + row.hits
  }
  return [...rules.values()]
    .sort((left, right) => right.total - left.total || (left.rule < right.rule ? -1 : 1))
    .slice(0, RULES_MAX)
}
