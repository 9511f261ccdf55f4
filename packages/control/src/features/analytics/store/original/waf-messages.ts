/** What the rules of the firewall said of requests: how often, and of which last. */
import type { Severity } from '@sallyport/contract'
import type { TrafficStore } from '../../../../traffic-store/connection.ts'
import { Parameters, requestsOf, type Scope } from '../predicate.ts'

export interface WafMessage {
  readonly rule: string
  readonly class: string
  readonly severity: Severity
  /** What made the score of the hit; empty where that is not known. */
  readonly reason: string
  readonly count: number
  readonly id: string
  readonly time: string
  readonly method: string
  readonly target: string
  readonly status: number
  readonly part: string
  readonly parameter: string
  readonly excerpt: string
}

const MESSAGES_MAX = 2_500

interface Row extends Pick<WafMessage, 'rule' | 'reason' | 'count'> {
  readonly last_ms: number
  readonly newest: readonly [
    attackClass: string,
    severity: Severity,
    id: string,
    method: string,
    target: string,
    status: number,
    part: string,
    parameter: string,
    excerpt: string,
  ]
}

/** One for each rule and reason of hits that count, the most frequent first, `MESSAGES_MAX` at most. */
export async function wafMessages(store: TrafficStore, scope: Scope): Promise<WafMessage[]> {
  const parameters = new Parameters()
  const from = requestsOf(scope, parameters, ['notEmpty(hit_rules)'])
  const columns = 'requests.id AS request_id, requests.time AS at, method, target, status, request_count'
  const hits = `arrayJoin(arrayFilter(h -> NOT h.8, arrayZip(CAST(hit_rules, 'Array(String)'), CAST(hit_classes, 'Array(String)'),
    CAST(hit_severities, 'Array(String)'), CAST(hit_reasons, 'Array(String)'), hit_parts, hit_parameters, hit_excerpts, hit_excluded))) AS hit`
  const rows = await store.query<Row>(
    `SELECT hit.1 AS rule, hit.4 AS reason, sum(request_count) AS count,
       argMax((hit.2, hit.3, toString(request_id), method, target, status, toString(hit.5), hit.6, hit.7), (at, request_id)) AS newest,
       toUnixTimestamp64Milli(max(at)) AS last_ms
     FROM (SELECT ${columns}, ${hits} FROM ${from})
     GROUP BY rule, reason ORDER BY count DESC, rule, reason LIMIT ${MESSAGES_MAX}`,
    parameters.values,
  )
  return rows.map(({ last_ms, newest, ...row }) => {
    const [attackClass, severity, id, method, target, status, part, parameter, excerpt] = newest
    return {
      ...row,
      class: attackClass,
      severity,
      id,
      time: new Date(last_ms).toISOString(),
      method,
      target,
      status,
      part,
      parameter,
      excerpt,
    }
  })
}
