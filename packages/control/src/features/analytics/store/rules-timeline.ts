/** Firewall hits over time, by rule. Hits that an exclusion let pass do not count. */
import type { Severity } from '@sallyport/contract'
import type { TrafficStore } from '../../../traffic-store/connection.ts'
import { countByBucket, type Scope } from './predicate.ts'
import { NEWEST_WORDS } from './rules-summary.ts'

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
  readonly newest: readonly [attackClass: string, severity: Severity]
  readonly last_ms: number
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
    columns: ['rule_kind', 'rule_name', 'class', 'severity', 'excluded', 'hits', 'last_seen'],
    select: `rule_name AS rule, ${NEWEST_WORDS} AS newest, toUnixTimestamp64Milli(max(last_seen)) AS last_ms, sum(hits) AS hits`,
    where: "WHERE rule_kind = 'firewall' AND NOT excluded",
    groupBy: 'rule_name',
  })
  const rules = new Map<
    string,
    Omit<RuleTimeline, 'total' | 'counts'> & { total: number; counts: number[] }
  >()
  // The newest first, whose words a rule gets.
  for (const row of rows.toSorted((left, right) => right.last_ms - left.last_ms)) {
    let rule = rules.get(row.rule)
    if (!rule) {
      rule = {
        rule: row.rule,
        class: row.newest[0],
        severity: row.newest[1],
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
