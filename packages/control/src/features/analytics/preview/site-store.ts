/** SQL of what a preview has to know of a site, and of the policies that it may be given. */
import type { FirewallSettings, PathConvention, RateLimitPolicy } from '@sallyport/contract'
import { rateLimitPolicy } from '@sallyport/contract'
import type { Transaction } from '../../../database/database.ts'
import { firstRow } from '../../../database/rows.ts'
import { readSettings, type SettingsColumns } from '../../../database/site-columns.ts'

export interface PreviewedSite {
  readonly id: string
  readonly firewall: FirewallSettings
  readonly conventions: readonly PathConvention[]
  /** The settings of its firewall were others for a part of the time. */
  readonly firewallChanged: boolean
}

/** Undefined where the organization has no such site. */
export async function findPreviewedSite(
  tx: Transaction,
  orgId: string,
  id: string,
  since: Date,
): Promise<PreviewedSite | undefined> {
  const row = await firstRow<
    Pick<SettingsColumns, 'firewall' | 'forwarding_settings'> & { id: string; changed: boolean }
  >(
    tx,
    `SELECT id, firewall, forwarding_settings, EXISTS (
       SELECT 1 FROM audit_log WHERE org_id = $1 AND target = $2::text AND action = 'site.setFirewall' AND time >= $3
     ) AS changed FROM sites WHERE org_id = $1 AND id = $2::uuid`,
    [orgId, id, since.toISOString()],
  )
  return (
    row && {
      id: row.id,
      firewall: readSettings(row, 'firewall'),
      conventions: readSettings(row, 'forwarding_settings').pathConventions,
      firewallChanged: row.changed,
    }
  )
}

/** Undefined where the plan of the organization has no such policy. */
export async function findPlanPolicy(
  tx: Transaction,
  orgId: string,
  name: string,
): Promise<RateLimitPolicy | undefined> {
  const row = await firstRow<{ name: string; site: unknown; per_researcher: unknown }>(
    tx,
    `SELECT r.name, r.site, r.per_researcher FROM organizations o JOIN plans p ON p.name = o.plan
       JOIN rate_limit_policies r ON r.name = ANY (p.policies)
     WHERE o.org_id = $1 AND r.name = $2`,
    [orgId, name],
  )
  return row && rateLimitPolicy.parse({ name: row.name, site: row.site, perResearcher: row.per_researcher })
}
