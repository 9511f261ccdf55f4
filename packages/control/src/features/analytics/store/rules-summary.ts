/** Rules that matched in a scope: of the firewall, block rules and rate-limit policies. */
import type { TrafficStore } from '../../../traffic-store/connection.ts'
import { Parameters, type Scope, source } from './predicate.ts'

export interface RuleSummary {
  readonly kind: 'firewall' | 'block' | 'limit'
  readonly rule: string
  readonly class: string
  readonly severity: string
  /** Matches that count, matches that an exclusion let pass, and requests refused because of it. */
  readonly hits: number
  readonly excluded: number
  readonly refused: number
  readonly hackers: number
  readonly sites: number
  readonly lastSeen: string
}

const RULE_ROWS_MAX = 1_000

/** Class and severity as the newest match has them: an update of the rules may give a rule others. */
export const NEWEST_WORDS = 'argMax((class, severity), (last_seen, class, severity))'

type Row = Omit<RuleSummary, 'class' | 'severity' | 'lastSeen' | 'hits' | 'excluded' | 'refused'> & {
  readonly newest: readonly [attackClass: string, severity: string]
  readonly counting: number
  readonly excluded_hits: number
  readonly refused_count: number
  readonly last_ms: number
}

export async function rulesSummary(store: TrafficStore, scope: Scope): Promise<RuleSummary[]> {
  const parameters = new Parameters()
  const columns = [
    'rule_kind',
    'rule_name',
    'class',
    'severity',
    'excluded',
    'hits',
    'refused',
    'researcher_id',
    'site_id',
    'last_seen',
  ]
  const rows = await store.query<Row>(
    `SELECT rule_kind AS kind, rule_name AS rule, ${NEWEST_WORDS} AS newest,
       sumIf(hits, NOT excluded) AS counting, sumIf(hits, excluded) AS excluded_hits, sum(refused) AS refused_count,
       uniqExactIf(researcher_id, researcher_id != '') AS hackers, uniqExact(site_id) AS sites,
       toUnixTimestamp64Milli(max(last_seen)) AS last_ms
     FROM ${source(scope, 'rules', columns, parameters)}
     GROUP BY rule_kind, rule_name ORDER BY counting DESC, rule LIMIT ${RULE_ROWS_MAX}`,
    parameters.values,
  )
  return rows.map(({ newest, counting, excluded_hits, refused_count, last_ms, ...row }) => ({
    ...row,
    class: newest[0],
    severity: newest[1],
    hits: counting,
    excluded: excluded_hits,
    refused: refused_count,
    lastSeen: new Date(last_ms).toISOString(),
  }))
}
