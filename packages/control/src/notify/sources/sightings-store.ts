/** SQL of what was seen in the traffic of sites and researchers. */
import type { Transaction } from '../../database/database.ts'
import { firstRow } from '../../database/rows.ts'

/** What may be new: of a researcher a network, a tool, or a limit that refused them; of a site an attack class. */
export type SightingKind = 'address' | 'tool' | 'limit' | 'class'

export interface Sighting {
  readonly kind: SightingKind
  /** The researcher, or the site. */
  readonly subject: string
  readonly value: string
  /** When it was seen first and last, of what is new; ISO 8601. */
  readonly first: string
  readonly last: string
}

/** What is remembered of one subject, of one kind: a researcher who uses more networks is told of no more. */
const VALUES_MAX = 256

/** What was known before of something that is seen. */
export interface KnownBefore {
  /** When it was seen last, milliseconds since the epoch; null for never. */
  readonly last_seen_ms: number | null
  /** Whether anything of the kind had been seen of the subject. */
  readonly is_subject_known: boolean
}

/** Remembers what is seen. Returns what was known before, or nothing where there is no room to remember more. */
export const remember = (
  tx: Transaction,
  orgId: string,
  { kind, subject, value, first, last }: Sighting,
): Promise<KnownBefore | undefined> =>
  firstRow(
    tx,
    `WITH known AS (
       SELECT count(*) AS all_of_subject, max(last_seen_at) FILTER (WHERE value = $4) AS last_seen_at
       FROM notification_sightings WHERE org_id = $1 AND kind = $2 AND subject = $3
     )
     INSERT INTO notification_sightings AS seen (org_id, kind, subject, value, last_seen_at, first_seen_at)
     SELECT $1, $2, $3, $4, $5, $6 FROM known WHERE all_of_subject < ${VALUES_MAX} OR last_seen_at IS NOT NULL
     ON CONFLICT (org_id, kind, subject, value) DO UPDATE
       SET last_seen_at = greatest(seen.last_seen_at, excluded.last_seen_at)
     RETURNING (SELECT (extract(epoch FROM last_seen_at) * 1000)::float8 FROM known) AS last_seen_ms,
       (SELECT all_of_subject > 0 FROM known) AS is_subject_known`,
    [orgId, kind, subject, value, last, first],
  )

/** Serializes those who remember things of an organization, until the transaction ends. */
export const lockSightings = (tx: Transaction, orgId: string): Promise<unknown> =>
  tx.query(`SELECT pg_advisory_xact_lock(hashtextextended('sightings ' || $1, 0))`, [orgId])

/** The names of sites and the addresses of researchers, by their ids. */
export async function readNames(
  tx: Transaction,
  orgId: string,
  siteIds: readonly string[],
  researcherIds: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const rows = await tx.query<{ id: string; name: string }>(
    `SELECT id, gated_name AS name FROM sites WHERE org_id = $1 AND id = ANY ($2)
     UNION ALL SELECT id, email AS name FROM researchers WHERE org_id = $1 AND id = ANY ($3)`,
    [orgId, siteIds, researcherIds],
  )
  return new Map(rows.map(({ id, name }) => [id, name]))
}
