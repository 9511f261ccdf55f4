/** SQL of the config feed: everything that gateways know, across organizations, page by page or by id. */
import type { SnapshotItems, SnapshotKind } from '@sallyport/contract'
import { rateLimitPolicy } from '@sallyport/contract'
import type { Transaction } from '../database/database.ts'
import type { ServedOrganizations } from '../gateway-access/gateway-scope.ts'
import type {
  OrganizationRecord,
  PolicyRecord,
  ResearcherRecord,
  RuleSetRecord,
  SiteRecord,
} from './snapshot-items.ts'
import { organizationConfig, researcherConfig, SITE_RECORD, siteConfig } from './snapshot-items.ts'

/** A thing of the snapshot with its id. */
export interface SnapshotEntry<Kind extends SnapshotKind = SnapshotKind> {
  readonly kind: Kind
  readonly id: string
  readonly value: SnapshotItems[Kind]
}

/** Kinds that come from the database, in the order in which they are sent: what others name comes first. */
export const STORED_KINDS = ['policy', 'ruleSet', 'organization', 'researcher', 'site'] as const
export type StoredKind = (typeof STORED_KINDS)[number]

/** A wildcard is reached under the name of a group: without one gateways know nothing of it. */
const SITE = `SELECT id, org_id, ${SITE_RECORD.join(', ')}, credentials <> '' AS has_credentials,
    CASE WHEN has_custom_list THEN ARRAY(SELECT researcher_id::text FROM site_researchers l
      WHERE l.org_id = s.org_id AND l.site_id = s.id) ELSE '{}' END AS researcher_ids,
    (SELECT json_build_object('gatedName', g.gated_name, 'sites', (SELECT json_agg(json_build_object('gatedName', m.gated_name,
        'origin', json_build_object('scheme', m.origin_scheme, 'host', m.origin_host, 'port', m.origin_port))
        ORDER BY m.gated_name) FROM sites m WHERE m.org_id = g.org_id AND m.group_id = g.id))
      FROM site_groups g WHERE g.org_id = s.org_id AND g.id = s.group_id) AS site_group,
    (SELECT json_build_object('id', t.hash, 'table', t.compiled) FROM site_definition_tables t
      WHERE t.org_id = s.org_id AND t.site_id = s.id) AS definition,
    (SELECT r.routes FROM site_routes r WHERE r.org_id = s.org_id AND r.site_id = s.id) AS routes
  FROM (SELECT * FROM sites WHERE group_id IS NOT NULL OR origin_host NOT LIKE '*%') s`
const RESEARCHER = `SELECT id, org_id, email, name, paused, expires_at, session_generation,
    ARRAY(SELECT hash FROM researcher_keys k WHERE k.org_id = r.org_id AND k.researcher_id = r.id) AS key_hashes
  FROM researchers r`
const ORGANIZATION =
  'SELECT org_id AS id, name, is_suspended, stopped_at, lease_seconds, contact FROM organizations'
const RULE_SET = 'SELECT name AS id, rules FROM rule_sets'
const POLICY = 'SELECT name AS id, site, per_researcher FROM rate_limit_policies'

interface Source {
  readonly select: string
  /** Column and type of the id. */
  readonly key: readonly [column: string, type: string]
  /** Whether each is an organization's. */
  readonly isOwned?: true
  readonly entry: (row: never) => SnapshotEntry
}

const SOURCES: Record<StoredKind, Source> = {
  policy: {
    select: POLICY,
    key: ['name', 'text'],
    entry: ({ id, site, per_researcher }: PolicyRecord) => ({
      kind: 'policy',
      id,
      value: rateLimitPolicy.parse({ name: id, site, perResearcher: per_researcher }),
    }),
  },
  ruleSet: {
    select: RULE_SET,
    key: ['name', 'text'],
    entry: ({ id, rules }: RuleSetRecord) => ({ kind: 'ruleSet', id, value: { id, name: id, rules } }),
  },
  organization: {
    select: ORGANIZATION,
    key: ['org_id', 'uuid'],
    isOwned: true,
    entry: (row: OrganizationRecord) => ({
      kind: 'organization',
      id: row.id,
      value: organizationConfig(row),
    }),
  },
  researcher: {
    select: RESEARCHER,
    key: ['id', 'uuid'],
    isOwned: true,
    entry: (row: ResearcherRecord) => ({ kind: 'researcher', id: row.id, value: researcherConfig(row) }),
  },
  site: {
    select: SITE,
    key: ['id', 'uuid'],
    isOwned: true,
    entry: (row: SiteRecord) => ({ kind: 'site', id: row.id, value: siteConfig(row) }),
  },
}

/** Up to `limit` of a kind, after the one named; of what organizations own, what these do. */
export async function readPage(
  tx: Transaction,
  kind: StoredKind,
  after: string | null,
  limit: number,
  organizations: ServedOrganizations,
): Promise<SnapshotEntry[]> {
  const { select, key, entry, isOwned } = SOURCES[kind]
  const [column, type] = key
  const isBound = isOwned && organizations !== null
  const rows = await tx.query<never>(
    `${select} WHERE ($1::${type} IS NULL OR ${column} > $1) ${isBound ? 'AND org_id = ANY ($3)' : ''} ORDER BY ${column} LIMIT $2`,
    [after, limit, ...(isBound ? [[...organizations]] : [])],
  )
  return rows.map(entry)
}

/** Those of a kind that are there. */
export async function readByIds(
  tx: Transaction,
  kind: StoredKind,
  ids: readonly string[],
): Promise<SnapshotEntry[]> {
  const { select, key, entry } = SOURCES[kind]
  const rows = await tx.query<never>(`${select} WHERE ${key[0]} = ANY ($1::${key[1]}[])`, [ids])
  return rows.map(entry)
}

export async function readRevision(tx: Transaction): Promise<number> {
  const [row] = await tx.query<{ revision: number }>('SELECT revision FROM installation')
  return row?.revision ?? 0
}

export interface ChangedItem {
  readonly kind: StoredKind
  readonly id: string
  /** Whose it is or was; null of what is everybody's. */
  readonly org_id: string | null
  readonly revision: number
}

/** What has changed since a revision. */
export const readChanged = (tx: Transaction, since: number): Promise<ChangedItem[]> =>
  tx.query<ChangedItem>('SELECT kind, id, org_id, revision FROM config_revisions WHERE revision > $1', [
    since,
  ])
