/** SQL of sites. Every function takes the transaction and the organization first. */
import { columnList, integer, type RowOf, text, textOrNull } from '../../database/columns.ts'
import type { ChangeRecord, Transaction } from '../../database/database.ts'
import { firstRow, firstValue, rowsById, rowUpdater } from '../../database/rows.ts'
import { SITE_COLUMNS, type SiteColumns } from '../../database/site-columns.ts'
import { containing, type PageRequest } from '../../http/request/paging.ts'
import { siteIdsOfGroup } from './groups/store.ts'

/** What neither a creation nor a change may set. */
const STORED = {
  id: text,
  org_id: text,
  created_by: text,
  created_at: text,
  version: integer,
  group_id: textOrNull,
}
export type SiteRow = SiteColumns & RowOf<typeof STORED>

const columns = columnList(SITE_COLUMNS)
const COLUMNS = columnList({ ...STORED, ...SITE_COLUMNS }).names

/** What a change of a site is about, for its record. */
export const siteChange = (id: string) =>
  ({ target: { kind: 'site', id }, config: [['site', id]] }) satisfies Partial<ChangeRecord>

/** The same of a change that other sites of the site's group are told of: it is one of the group, whose version it raises. */
export async function siteChangeInGroup(tx: Transaction, orgId: string, { id, group_id }: SiteRow) {
  const ids = group_id === null ? [] : await siteIdsOfGroup(tx, orgId, group_id)
  if (group_id !== null) await raiseGroupVersion(tx, orgId, group_id)
  const config = Array.from(new Set([id, ...ids]), (one) => ['site', one] as const)
  return { target: { kind: 'site', id }, config } satisfies Partial<ChangeRecord>
}

export interface SiteFilter {
  readonly search?: string | undefined
  readonly state?: 'active' | 'inactive' | undefined
}

/** Newest first; all of them where `limit` is null, otherwise up to `limit` + 1. */
export function listSites(
  tx: Transaction,
  orgId: string,
  filter: SiteFilter,
  page: PageRequest | null,
): Promise<SiteRow[]> {
  if (page === null && filter.search === undefined && filter.state === undefined)
    return tx.query<SiteRow>(`SELECT ${COLUMNS} FROM sites WHERE org_id = $1 ORDER BY id DESC`, [orgId])
  return tx.query<SiteRow>(
    `SELECT ${COLUMNS} FROM sites
     WHERE org_id = $1 AND ($2::uuid IS NULL OR id < $2)
       AND ($3::text IS NULL OR origin_name ILIKE $3 OR gated_name ILIKE $3)
       AND ($4::boolean IS NULL OR (is_enabled AND starts_at <= now() AND now() < stops_at) = $4)
     ORDER BY id DESC LIMIT $5`,
    [
      orgId,
      page?.after ?? null,
      containing(filter.search),
      filter.state === undefined ? null : filter.state === 'active',
      page === null ? null : page.limit + 1,
    ],
  )
}

export const { find: findSite, lock: lockSite, remove: deleteSite } = rowsById<SiteRow>('sites', COLUMNS)

/** Locks several sites, in the order of their ids. */
export const lockSites = (tx: Transaction, orgId: string, ids: readonly string[]): Promise<unknown> =>
  tx.query('SELECT 1 FROM sites WHERE org_id = $1 AND id = ANY ($2) ORDER BY id FOR NO KEY UPDATE', [
    orgId,
    ids,
  ])

export interface NewSite extends SiteColumns {
  readonly id: string
  readonly created_by: string
}

/** Returns nothing where a site of any organization has the gated name. */
export const insertSite = (tx: Transaction, orgId: string, site: NewSite): Promise<SiteRow | undefined> =>
  firstRow(
    tx,
    `INSERT INTO sites (org_id, id, created_by, ${columns.names}) VALUES ($1, $2, $3, ${columns.placeholders(4)})
     ON CONFLICT (gated_name) DO NOTHING RETURNING ${COLUMNS}`,
    [orgId, site.id, site.created_by, ...columns.valuesOf(site)],
  )

/** Replaces every column that a change may set. The site must be locked. */
export const updateSite = rowUpdater<SiteRow, SiteColumns>('sites', columns, COLUMNS)

export type RateLimitedRow = SiteRow & { readonly revision: number }

export interface RateLimitChange {
  readonly orgId: string
  readonly id: string
  readonly rateLimit: string
  /** Versions that the site may have; null where any will do. */
  readonly versions: readonly number[] | null
}

/**
 * The most frequent change, in one statement that also records itself: `recorded` are the values of `record_change`, and
 * the policy before is entered here. Nothing is changed where there is no such site, the plan lacks the policy, or the
 * version is another.
 */
export const changeRateLimit = (
  tx: Transaction,
  { orgId, id, rateLimit, versions }: RateLimitChange,
  recorded: readonly unknown[],
): Promise<RateLimitedRow | undefined> =>
  firstRow(
    tx,
    `WITH changed AS (
       UPDATE sites SET rate_limit = $11, version = version + (rate_limit <> $11)::int
       WHERE org_id = $9 AND id = $10 AND ($12::bigint[] IS NULL OR version = ANY ($12)) AND ($11 = '' OR EXISTS (
         SELECT 1 FROM organizations o JOIN plans p ON p.name = o.plan WHERE o.org_id = $9 AND $11 = ANY (p.policies)))
       RETURNING ${COLUMNS}, old.rate_limit AS old_rate_limit)
     SELECT ${COLUMNS}, CASE WHEN rate_limit = old_rate_limit THEN 0 ELSE
       record_change($1, jsonb_set($2::jsonb, '{before,rateLimit}', to_jsonb(old_rate_limit))::text,
         $3, $4, $5, $6, $7, $8) END AS revision
     FROM changed`,
    [...recorded, orgId, id, rateLimit, versions],
  )

/** Names of the policies that the plan of the organization includes. */
export const policiesOfPlan = async (tx: Transaction, orgId: string): Promise<string[]> =>
  (await firstValue(
    tx,
    'SELECT p.policies FROM organizations o JOIN plans p ON p.name = o.plan WHERE o.org_id = $1',
    [orgId],
  )) ?? []

/** Ids of the researchers on the list of a site, sorted. */
export async function listedResearchers(tx: Transaction, orgId: string, id: string): Promise<string[]> {
  const rows = await tx.query<{ researcher_id: string }>(
    'SELECT researcher_id FROM site_researchers WHERE org_id = $1 AND site_id = $2 ORDER BY researcher_id',
    [orgId, id],
  )
  return rows.map((row) => row.researcher_id)
}

/** Those of `ids` that are researchers of the organization, and stay so until the transaction ends. */
export async function knownResearchers(
  tx: Transaction,
  orgId: string,
  ids: readonly string[],
): Promise<Set<string>> {
  const rows = await tx.query<{ id: string }>(
    'SELECT id FROM researchers WHERE org_id = $1 AND id = ANY ($2) ORDER BY id FOR KEY SHARE',
    [orgId, ids],
  )
  return new Set(rows.map((row) => row.id))
}

/** Replaces the list and raises the version of the (locked) site. */
export async function replaceListedResearchers(
  tx: Transaction,
  orgId: string,
  id: string,
  researcherIds: readonly string[],
): Promise<number> {
  const [, , rows] = await Promise.all([
    tx.query('DELETE FROM site_researchers WHERE org_id = $1 AND site_id = $2', [orgId, id]),
    tx.query(
      'INSERT INTO site_researchers (org_id, site_id, researcher_id) SELECT $1, $2, unnest($3::uuid[])',
      [orgId, id, researcherIds],
    ),
    tx.query<{ version: number }>(
      'UPDATE sites SET version = version + 1 WHERE org_id = $1 AND id = $2 RETURNING version',
      [orgId, id],
    ),
  ])
  return rows[0]?.version ?? 0
}

export interface AccessRow {
  readonly id: string
  readonly email: string
  readonly paused: boolean
  readonly expires_at: string | null
  readonly is_listed: boolean
  readonly is_suspended: boolean
  readonly is_stopped: boolean
}

/** What decides whether a researcher, named by id or address or both, may enter a site. */
export const findAccess = (
  tx: Transaction,
  orgId: string,
  siteId: string,
  researcher: { readonly id: string | null; readonly email: string | null },
): Promise<AccessRow | undefined> =>
  firstRow(
    tx,
    `SELECT r.id, r.email, r.paused, r.expires_at, o.is_suspended, o.stopped_at IS NOT NULL AS is_stopped,
       EXISTS (SELECT 1 FROM site_researchers l
         WHERE l.org_id = $1 AND l.site_id = $2 AND l.researcher_id = r.id) AS is_listed
     FROM researchers r JOIN organizations o ON o.org_id = r.org_id
     WHERE r.org_id = $1 AND ($3::uuid IS NULL OR r.id = $3) AND ($4::text IS NULL OR lower(r.email) = lower($4))`,
    [orgId, siteId, researcher.id, researcher.email],
  )

export interface RevealedRow {
  readonly org_id: string
  readonly credentials: string
  readonly email: string
}

/** The sealed credentials of a site, for a researcher of the same organization. Reads across organizations. */
export const findRevealed = (
  tx: Transaction,
  siteId: string,
  researcherId: string,
): Promise<RevealedRow | undefined> =>
  firstRow(
    tx,
    `SELECT sites.org_id, sites.credentials, researchers.email
     FROM sites JOIN researchers ON researchers.org_id = sites.org_id
     WHERE sites.id = $1 AND researchers.id = $2`,
    [siteId, researcherId],
  )

/** The sites of this gated name, across organizations. */
export const findSitesNamed = (
  tx: Transaction,
  gatedName: string,
): Promise<{ readonly siteId: string; readonly orgId: string }[]> =>
  tx.query('SELECT id AS "siteId", org_id AS "orgId" FROM sites WHERE gated_name = $1', [gatedName])

/**
 * Locks the group of a site, where it is in one: before the site, as whoever fills or renames the group, or each would wait for the other.
 */
export const lockGroupOf = (tx: Transaction, orgId: string, siteId: string): Promise<unknown> =>
  tx.query(
    `SELECT 1 FROM site_groups WHERE org_id = $1
       AND id = (SELECT group_id FROM sites WHERE org_id = $1 AND id = $2::uuid) FOR NO KEY UPDATE`,
    [orgId, siteId],
  )

const raiseGroupVersion = (tx: Transaction, orgId: string, id: string): Promise<unknown> =>
  tx.query('UPDATE site_groups SET version = version + 1 WHERE org_id = $1 AND id = $2', [orgId, id])
