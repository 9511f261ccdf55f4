/** SQL of researchers, their keys and invitations. */
import { RESEARCHER_INVITATIONS_MAX } from '@sallyport/contract'
import { columnList, flag, integer, type RowOf, rowArrays, text, textOrNull } from '../../database/columns.ts'
import type { ChangeRecord, Transaction } from '../../database/database.ts'
import { firstRow, hasRows, rowsById, rowUpdater } from '../../database/rows.ts'
import { containing, type ListRows } from '../../http/request/paging.ts'

const CHANGED = {
  email: text,
  name: text,
  paused: flag,
  expires_at: textOrNull,
  session_generation: integer,
}
const RESEARCHER = {
  id: text,
  org_id: text,
  ...CHANGED,
  created_by: text,
  created_at: text,
  version: integer,
}
export type ResearcherColumns = RowOf<typeof CHANGED>
export type ResearcherRow = RowOf<typeof RESEARCHER>

const changed = columnList(CHANGED)
const COLUMNS = columnList(RESEARCHER).names

export { COLUMNS as RESEARCHER_COLUMNS }

/** What a change of a researcher is about, for its record. */
export const researcherChange = (id: string) =>
  ({ target: { kind: 'hacker', id }, config: [['researcher', id]] }) satisfies Partial<ChangeRecord>

export interface ResearcherFilter {
  readonly search: string | undefined
  readonly state: 'active' | 'paused' | 'expired' | undefined
  readonly siteId: string | undefined
  /** Those alone. */
  readonly ids?: readonly string[] | undefined
}

/** The state of a researcher, as an expression. */
export const STATE = `CASE WHEN paused THEN 'paused' WHEN expires_at <= now() THEN 'expired' ELSE 'active' END`

export const listResearchers: ListRows<ResearcherRow, ResearcherFilter> = (tx, orgId, filter, page) =>
  tx.query(
    `SELECT ${COLUMNS} FROM researchers
     WHERE org_id = $1 AND ($2::uuid IS NULL OR id < $2)
       AND ($3::text IS NULL OR email ILIKE $3 OR name ILIKE $3)
       AND ($4::text IS NULL OR ${STATE} = $4)
       AND ($5::uuid IS NULL OR id IN (
         SELECT researcher_id FROM site_researchers WHERE org_id = $1 AND site_id = $5))
       AND ($6::uuid[] IS NULL OR id = ANY ($6))
     ORDER BY id DESC LIMIT $7`,
    [
      orgId,
      page.after,
      containing(filter.search),
      filter.state ?? null,
      filter.siteId ?? null,
      filter.ids ?? null,
      page.limit + 1,
    ],
  )

export const { find: findResearcher, lock: lockResearcher } = rowsById<ResearcherRow>('researchers', COLUMNS)

/** Locks those of `ids` that exist; all of the organization's where it is null. In order of id, so none wait in a ring. */
export const lockResearchers = (
  tx: Transaction,
  orgId: string,
  ids: readonly string[] | null,
): Promise<ResearcherRow[]> =>
  tx.query<ResearcherRow>(
    `SELECT ${COLUMNS} FROM researchers WHERE org_id = $1 AND ($2::uuid[] IS NULL OR id = ANY ($2))
     ORDER BY id FOR UPDATE`,
    [orgId, ids],
  )

/** The researcher with this e-mail address, who stays one until the transaction ends. */
export const lockResearcherOf = (
  tx: Transaction,
  orgId: string,
  email: string,
): Promise<{ readonly id: string } | undefined> =>
  firstRow(tx, 'SELECT id FROM researchers WHERE org_id = $1 AND lower(email) = lower($2) FOR KEY SHARE', [
    orgId,
    email,
  ])

const added = rowArrays({
  id: 'uuid',
  email: 'text',
  name: 'text',
  paused: 'boolean',
  expires_at: 'timestamptz',
})
export type NewResearcher = Pick<ResearcherRow, 'id' | 'email' | 'name' | 'paused' | 'expires_at'>

/** Inserts what is not there yet, by e-mail address; returns the rows inserted. */
export const insertResearchers = (
  tx: Transaction,
  orgId: string,
  createdBy: string,
  researchers: readonly NewResearcher[],
): Promise<ResearcherRow[]> =>
  tx.query<ResearcherRow>(
    `INSERT INTO researchers (org_id, created_by, ${added.names}) SELECT $1, $2, * FROM ${added.unnest(3)}
     ON CONFLICT (org_id, lower(email)) DO NOTHING RETURNING ${COLUMNS}`,
    [orgId, createdBy, ...added.valuesOf(researchers)],
  )

export const updateResearcher = rowUpdater<ResearcherRow, ResearcherColumns>('researchers', changed, COLUMNS)

/** The acts that may be done to many at once, as the statements that do them. */
const BULK = {
  pause: 'UPDATE researchers SET paused = true, version = version + 1',
  resume: 'UPDATE researchers SET paused = false, version = version + 1',
  expire: 'UPDATE researchers SET expires_at = now(), version = version + 1',
  remove: 'DELETE FROM researchers',
} as const
export type BulkAction = keyof typeof BULK

export const actOnResearchers = (
  tx: Transaction,
  orgId: string,
  action: BulkAction,
  ids: readonly string[],
): Promise<unknown> => tx.query(`${BULK[action]} WHERE org_id = $1 AND id = ANY ($2)`, [orgId, ids])

export interface KeyRow {
  readonly id: string
  readonly lookup: string
  readonly created_at: string
}

export interface NewKey {
  readonly id: string
  readonly researcher_id: string
  readonly lookup: string
  readonly hash: string
}

const newKeys = rowArrays<keyof NewKey>({ id: 'uuid', researcher_id: 'uuid', lookup: 'text', hash: 'text' })

export const insertKeys = (tx: Transaction, orgId: string, keys: readonly NewKey[]): Promise<KeyRow[]> =>
  tx.query<KeyRow>(
    `INSERT INTO researcher_keys (org_id, ${newKeys.names}) SELECT $1, * FROM ${newKeys.unnest(2)}
     RETURNING id, lookup, created_at`,
    [orgId, ...newKeys.valuesOf(keys)],
  )

/** Newest first. */
export const listKeys = (tx: Transaction, orgId: string, researcherId: string): Promise<KeyRow[]> =>
  tx.query<KeyRow>(
    `SELECT id, lookup, created_at FROM researcher_keys WHERE org_id = $1 AND researcher_id = $2 ORDER BY id DESC`,
    [orgId, researcherId],
  )

/** Deletes one key, or all where `keyId` is null; returns those that were there. */
export const deleteKeys = (
  tx: Transaction,
  orgId: string,
  researcherId: string,
  keyId: string | null,
): Promise<KeyRow[]> =>
  tx.query<KeyRow>(
    `DELETE FROM researcher_keys WHERE org_id = $1 AND researcher_id = $2 AND ($3::uuid IS NULL OR id = $3)
     RETURNING id, lookup, created_at`,
    [orgId, researcherId, keyId],
  )

export interface NewInvitation {
  readonly id: string
  readonly researcher_id: string
  readonly hash: string
  readonly expires_at: string
}

const newInvitations = rowArrays<keyof NewInvitation>({
  id: 'uuid',
  researcher_id: 'uuid',
  hash: 'text',
  expires_at: 'timestamptz',
})

/** Adds invitations, and drops those of the same researchers that have lapsed, or are more than may be valid at once. */
export async function insertInvitations(
  tx: Transaction,
  orgId: string,
  invitations: readonly NewInvitation[],
): Promise<void> {
  await Promise.all([
    tx.query(
      `DELETE FROM researcher_invitations old WHERE org_id = $1 AND researcher_id = ANY ($2)
         AND (expires_at <= now() OR $3 <= (SELECT count(*) FROM researcher_invitations newer
           WHERE newer.org_id = $1 AND newer.researcher_id = old.researcher_id AND newer.id >= old.id))`,
      [orgId, invitations.map((invitation) => invitation.researcher_id), RESEARCHER_INVITATIONS_MAX],
    ),
    tx.query(
      `INSERT INTO researcher_invitations (org_id, ${newInvitations.names}) SELECT $1, * FROM ${newInvitations.unnest(2)}`,
      [orgId, ...newInvitations.valuesOf(invitations)],
    ),
  ])
}

export const deleteInvitations = (tx: Transaction, orgId: string, researcherId: string): Promise<unknown> =>
  tx.query('DELETE FROM researcher_invitations WHERE org_id = $1 AND researcher_id = $2', [
    orgId,
    researcherId,
  ])

/** Whose invitation a token is, by its hash; of any organization, so asked as the installation. */
export const findInvitation = (
  tx: Transaction,
  hash: string,
): Promise<{ readonly org_id: string; readonly researcher_id: string } | undefined> =>
  firstRow(tx, 'SELECT org_id, researcher_id FROM researcher_invitations WHERE hash = $1', [hash])

/** An attempt to accept the invitation whose token has this hash. */
interface Acceptance {
  readonly tokenHash: string
  readonly attempt: string
}

/**
 * Uses an open invitation up. It stays for a minute, so that an answer that was lost can be given again to the same attempt.
 * False where it is not open any more.
 */
export const acceptInvitation = (tx: Transaction, orgId: string, { tokenHash, attempt }: Acceptance) =>
  hasRows(
    tx,
    `UPDATE researcher_invitations SET accepted_attempt = $3, expires_at = now() + interval '1 minute'
     WHERE org_id = $1 AND hash = $2 AND accepted_attempt IS NULL AND expires_at > now() RETURNING id`,
    [orgId, tokenHash, attempt],
  )

/** Whether this attempt used an invitation up within the last minute. */
export const isAcceptedBy = (tx: Transaction, orgId: string, { tokenHash, attempt }: Acceptance) =>
  hasRows(
    tx,
    `SELECT id FROM researcher_invitations
     WHERE org_id = $1 AND hash = $2 AND accepted_attempt = $3 AND expires_at > now()`,
    [orgId, tokenHash, attempt],
  )
