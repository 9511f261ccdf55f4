/** SQL of the settings of sites. */
import { columnList } from '../../../database/columns.ts'
import type { Transaction } from '../../../database/database.ts'
import { firstRow, firstValue } from '../../../database/rows.ts'
import { type SettingsColumns, SITE_SETTINGS } from '../../../database/site-columns.ts'
import type { PageRequest } from '../../../http/request/paging.ts'

export type SettingsRow = SettingsColumns & { readonly version: number }

const COLUMNS = columnList(SITE_SETTINGS).names

export const findSettings = (tx: Transaction, orgId: string, id: string): Promise<SettingsRow | undefined> =>
  firstRow(tx, `SELECT ${COLUMNS}, version FROM sites WHERE org_id = $1 AND id = $2`, [orgId, id])

export interface ExclusionsRow extends Pick<SettingsColumns, 'firewall'> {
  readonly id: string
  readonly gated_name: string
}

/** Sites whose firewall has exclusions, newest first, up to `limit` + 1. */
export const listExclusions = (
  tx: Transaction,
  orgId: string,
  { limit, after }: PageRequest,
): Promise<ExclusionsRow[]> =>
  tx.query<ExclusionsRow>(
    `SELECT id, gated_name, firewall FROM sites
     WHERE org_id = $1 AND ($2::uuid IS NULL OR id < $2) AND jsonb_array_length(COALESCE(firewall->'exclusions', '[]')) > 0
     ORDER BY id DESC LIMIT $3`,
    [orgId, after, limit + 1],
  )

export interface FirewallRow extends Pick<SettingsColumns, 'firewall'> {
  readonly id: string
}

/** The firewalls of all sites, newest first, up to `limit` + 1. */
export const listFirewalls = (
  tx: Transaction,
  orgId: string,
  { limit, after }: PageRequest,
): Promise<FirewallRow[]> =>
  tx.query<FirewallRow>(
    `SELECT id, firewall FROM sites WHERE org_id = $1 AND ($2::uuid IS NULL OR id < $2) ORDER BY id DESC LIMIT $3`,
    [orgId, after, limit + 1],
  )

/** Replaces the settings in a column of the (locked) site; returns its new version. */
export const saveSettings = async <Column extends keyof SettingsColumns>(
  tx: Transaction,
  orgId: string,
  id: string,
  column: Column,
  settings: SettingsColumns[Column],
): Promise<number> =>
  (await firstValue(
    tx,
    `UPDATE sites SET ${column} = $3, version = version + 1 WHERE org_id = $1 AND id = $2 RETURNING version`,
    [orgId, id, JSON.stringify(settings)],
  )) ?? 0
