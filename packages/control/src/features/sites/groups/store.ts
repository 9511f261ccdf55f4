/** SQL of groups of sites. */
import { type RowOf, text, textOrNull } from '../../../database/columns.ts'
import type { Transaction } from '../../../database/database.ts'
import { firstRow, hasRows, rowsById } from '../../../database/rows.ts'
import type { PageRequest } from '../../../http/request/paging.ts'

export interface SiteOfGroup {
  readonly id: string
  readonly gatedName: string
  readonly originName: string
}

export interface GroupRow {
  readonly id: string
  readonly org_id: string
  readonly gated_name: string
  readonly created_by: string
  readonly created_at: string
  readonly version: number
  readonly sites: readonly SiteOfGroup[]
}

const COLUMNS = `id, org_id, gated_name, created_by, created_at, version,
  coalesce((SELECT json_agg(json_build_object('id', s.id, 'gatedName', s.gated_name, 'originName', s.origin_name)
    ORDER BY s.gated_name) FROM sites s WHERE s.org_id = site_groups.org_id AND s.group_id = site_groups.id), '[]') AS sites`

const groups = rowsById<GroupRow>('site_groups', COLUMNS)
export const { find: findGroup, remove: deleteGroup } = groups

/** Locks a group, and reads it by a statement after that: what waited for a lock sees other tables as they were before it waited. */
export async function lockGroup(tx: Transaction, orgId: string, id: string): Promise<GroupRow | undefined> {
  await groups.lock(tx, orgId, id)
  return findGroup(tx, orgId, id)
}

/** Newest first, up to `limit` + 1. */
export const listGroups = (
  tx: Transaction,
  orgId: string,
  { after, limit }: PageRequest,
): Promise<GroupRow[]> =>
  tx.query(
    `SELECT ${COLUMNS} FROM site_groups WHERE org_id = $1 AND ($2::uuid IS NULL OR id < $2)
     ORDER BY id DESC LIMIT $3`,
    [orgId, after, limit + 1],
  )

/** Returns nothing where a site or a group of any organization has the gated name. */
export const insertGroup = (
  tx: Transaction,
  orgId: string,
  group: { readonly id: string; readonly gatedName: string; readonly createdBy: string },
): Promise<GroupRow | undefined> =>
  firstRow(
    tx,
    `INSERT INTO site_groups (org_id, id, gated_name, created_by) VALUES ($1, $2, $3, $4)
     ON CONFLICT (gated_name) DO NOTHING RETURNING ${COLUMNS}`,
    [orgId, group.id, group.gatedName, group.createdBy],
  )

/** Renames a (locked) group and raises its version, also where the name stays. */
export const renameGroup = (
  tx: Transaction,
  orgId: string,
  id: string,
  gatedName: string,
): Promise<unknown> =>
  tx.query('UPDATE site_groups SET gated_name = $3, version = version + 1 WHERE org_id = $1 AND id = $2', [
    orgId,
    id,
    gatedName,
  ])

const MEMBER = {
  id: text,
  group_id: textOrNull,
  gated_name: text,
  origin_name: text,
  origin_host: text,
}
export type GroupSiteRow = RowOf<typeof MEMBER>

/** Locks the sites of a group and those that are to be put in, in the order of their ids. */
export const lockGroupSites = (
  tx: Transaction,
  orgId: string,
  groupId: string,
  ids: readonly string[],
): Promise<GroupSiteRow[]> =>
  tx.query(
    `SELECT ${Object.keys(MEMBER).join(', ')} FROM sites WHERE org_id = $1 AND (group_id = $2 OR id = ANY ($3))
     ORDER BY id FOR UPDATE`,
    [orgId, groupId, ids],
  )

/** Names a (locked) site, in a group or in none. */
export const moveSite = (
  tx: Transaction,
  orgId: string,
  site: { readonly id: string; readonly groupId: string | null; readonly gatedName: string },
): Promise<unknown> =>
  tx.query(
    'UPDATE sites SET group_id = $3, gated_name = $4, version = version + 1 WHERE org_id = $1 AND id = $2',
    [orgId, site.id, site.groupId, site.gatedName],
  )

/** Whether nobody has a gated name. It stays so until the transaction ends. */
export async function isNameFree(tx: Transaction, orgId: string, gatedName: string): Promise<boolean> {
  const claimed = await hasRows(
    tx,
    'INSERT INTO gated_names (org_id, name) VALUES ($1, $2) ON CONFLICT (name) DO NOTHING RETURNING name',
    [orgId, gatedName],
  )
  if (claimed) await tx.query('DELETE FROM gated_names WHERE org_id = $1 AND name = $2', [orgId, gatedName])
  return claimed
}

/** Whether any site lies below a name, as only those of its group should. Reads across organizations. */
export const hasNamesBelow = (tx: Transaction, gatedName: string): Promise<boolean> =>
  hasRows(tx, `SELECT FROM sites WHERE right(gated_name, length($1) + 1) = '.' || $1 LIMIT 1`, [gatedName])

/** Ids of the sites of a group. */
export async function siteIdsOfGroup(tx: Transaction, orgId: string, groupId: string): Promise<string[]> {
  const rows = await tx.query<{ id: string }>('SELECT id FROM sites WHERE org_id = $1 AND group_id = $2', [
    orgId,
    groupId,
  ])
  return rows.map(({ id }) => id)
}
