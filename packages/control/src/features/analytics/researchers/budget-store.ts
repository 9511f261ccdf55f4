/** SQL of a researcher's budget: the sites that limit requests, and the policies of the plan. */
import { type RateLimitPolicy, rateLimitPolicy } from '@sallyport/contract'
import type { Transaction } from '../../../database/database.ts'
import { hasRows } from '../../../database/rows.ts'

export const isResearcher = (tx: Transaction, orgId: string, id: string): Promise<boolean> =>
  hasRows(tx, 'SELECT 1 FROM researchers WHERE org_id = $1 AND id = $2', [orgId, id])

export interface LimitedSite {
  readonly id: string
  readonly gated_name: string
  readonly rate_limit: string
  readonly is_enabled: boolean
  readonly starts_at: string
  readonly stops_at: string
}

/** The sites with a rate limit, the newest first. */
export const listLimitedSites = (tx: Transaction, orgId: string): Promise<LimitedSite[]> =>
  tx.query<LimitedSite>(
    `SELECT id, gated_name, rate_limit, is_enabled, starts_at, stops_at
     FROM sites WHERE org_id = $1 AND rate_limit <> '' ORDER BY id DESC`,
    [orgId],
  )

/** The policies that the plan of the organization includes. */
export async function listPlanPolicies(tx: Transaction, orgId: string): Promise<RateLimitPolicy[]> {
  const rows = await tx.query<{ name: string; site: unknown; per_researcher: unknown }>(
    `SELECT r.name, r.site, r.per_researcher FROM organizations o JOIN plans p ON p.name = o.plan
       JOIN rate_limit_policies r ON r.name = ANY (p.policies)
     WHERE o.org_id = $1 ORDER BY r.name`,
    [orgId],
  )
  return rows.map((row) =>
    rateLimitPolicy.parse({ name: row.name, site: row.site, perResearcher: row.per_researcher }),
  )
}
