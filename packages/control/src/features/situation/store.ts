/** SQL of the situation: what the watch of states and the watch of traffic have noted, and the names of what they are about. */
import type { Transaction } from '../../database/database.ts'
import { firstRow } from '../../database/rows.ts'

export interface OrganizationFacts {
  readonly created_at: string
  readonly retention_days: number
  readonly is_open: boolean
}

export const readOrganization = (tx: Transaction, orgId: string): Promise<OrganizationFacts | undefined> =>
  firstRow(
    tx,
    `SELECT created_at, retention_days, stopped_at IS NULL AND NOT is_suspended AS is_open
     FROM organizations WHERE org_id = $1`,
    [orgId],
  )

export interface SiteFacts {
  readonly id: string
  readonly gated_name: string
  readonly is_enabled: boolean
  readonly starts_at: string
  readonly stops_at: string
}

export const listSiteFacts = (tx: Transaction, orgId: string): Promise<SiteFacts[]> =>
  tx.query('SELECT id, gated_name, is_enabled, starts_at, stops_at FROM sites WHERE org_id = $1', [orgId])

/** Kinds of watched states that need attention. */
const STATE_KINDS = ['window', 'expiring', 'apiKey', 'silent', 'behind', 'journal', 'origin'] as const
export type NotedStateKind = (typeof STATE_KINDS)[number]

export interface NotedState {
  readonly kind: NotedStateKind
  /** The site, researcher, key or gateway. */
  readonly subject: string
  /** Null of what was so before this was noted. */
  readonly since: string | null
  readonly data: Readonly<Record<string, unknown>>
  /** How many there are of the kind. */
  readonly of_kind: number
}

/** The newest states of each kind, as the watch of states has noted them. */
export const listNotedStates = (tx: Transaction, orgId: string, ofKindMax: number): Promise<NotedState[]> =>
  tx.query(
    `SELECT kind, subject, since, data, of_kind FROM (
       SELECT kind, subject, since, data, (count(*) OVER (PARTITION BY kind))::int AS of_kind,
         row_number() OVER (PARTITION BY kind ORDER BY since DESC NULLS LAST, subject) AS place
       FROM notification_states WHERE org_id = $1 AND kind = ANY ($2)) noted
     WHERE place <= $3`,
    [orgId, STATE_KINDS, ofKindMax],
  )

export interface NewSighting {
  readonly kind: 'address' | 'tool'
  /** The researcher. */
  readonly subject: string
  readonly newest: string
  readonly first: string
  readonly last: string
  readonly count: number
  readonly of_kind: number
}

/** A researcher is known who was seen so long before; whatever one uses in the first hour is new to nobody. */
const KNOWN_FOR = "interval '1 hour'"

/** Researchers of whom a network or a tool was first seen within [from, to), ISO 8601, the latest of each kind. */
export const listNewSightings = (
  tx: Transaction,
  orgId: string,
  { from, to }: { readonly from: string; readonly to: string },
  ofKindMax: number,
): Promise<NewSighting[]> =>
  tx.query(
    `SELECT * FROM (
       SELECT grouped.*, (count(*) OVER (PARTITION BY kind))::int AS of_kind,
         row_number() OVER (PARTITION BY kind ORDER BY last DESC, subject) AS place
       FROM (
         SELECT kind, subject, (array_agg(value ORDER BY first_seen_at DESC, value))[1] AS newest,
           min(first_seen_at) AS first, max(first_seen_at) AS last, count(*)::int AS count
         FROM notification_sightings seen
         WHERE org_id = $1 AND kind IN ('address', 'tool') AND first_seen_at >= $2 AND first_seen_at < $3
           AND EXISTS (SELECT 1 FROM notification_sightings known
             WHERE known.org_id = $1 AND known.kind = seen.kind AND known.subject = seen.subject
               AND (known.first_seen_at IS NULL OR known.first_seen_at < seen.first_seen_at - ${KNOWN_FOR}))
         GROUP BY kind, subject) grouped) placed
     WHERE place <= $4`,
    [orgId, from, to, ofKindMax],
  )
