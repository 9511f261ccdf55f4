/** SQL of members, as owners see them. What sign-in does with them is in `identity/store-members.ts`. */
import type { Role } from '@sallyport/contract'
import { columnList, columnOf, flag, integer, type RowOf, text, textOrNull } from '../../database/columns.ts'
import type { Transaction } from '../../database/database.ts'
import { firstRow, rowsById, rowUpdater } from '../../database/rows.ts'
import { containing } from '../../http/request/paging.ts'

const CHANGED = { name: text, role: columnOf<Role>(), is_suspended: flag }
const MEMBER = {
  id: text,
  email: text,
  ...CHANGED,
  last_sign_in_at: textOrNull,
  created_at: text,
  version: integer,
}
export type MemberColumns = RowOf<typeof CHANGED>
export type MemberRow = RowOf<typeof MEMBER> & { readonly has_password: boolean }

const changed = columnList(CHANGED)
const COLUMNS = `${columnList(MEMBER).names}, password_hash IS NOT NULL AS has_password`

export interface MemberFilter {
  readonly search?: string | undefined
  readonly role?: Role | undefined
}

/** By address, up to `limit` + 1, after `afterEmail`. */
export const listMembers = (
  tx: Transaction,
  orgId: string,
  filter: MemberFilter,
  page: { readonly limit: number; readonly afterEmail: string | null },
): Promise<MemberRow[]> =>
  tx.query<MemberRow>(
    `SELECT ${COLUMNS} FROM members
     WHERE org_id = $1 AND ($2::text IS NULL OR lower(email) > $2)
       AND ($3::text IS NULL OR email ILIKE $3 OR name ILIKE $3) AND ($4::text IS NULL OR role = $4)
     ORDER BY lower(email) LIMIT $5`,
    [orgId, page.afterEmail, containing(filter.search), filter.role ?? null, page.limit + 1],
  )

export const {
  find: findMember,
  lock: lockMember,
  remove: deleteMember,
} = rowsById<MemberRow>('members', COLUMNS)

/**
 * Ids of the owners who are not suspended, locked until the end of the transaction: while one change looks whether an
 * owner remains, no other can take one away.
 */
export async function lockOwners(tx: Transaction, orgId: string): Promise<MemberRow[]> {
  return tx.query<MemberRow>(
    `SELECT ${COLUMNS} FROM members WHERE org_id = $1 AND role = 'owner' AND NOT is_suspended
     ORDER BY id FOR UPDATE`,
    [orgId],
  )
}

const INVITATION = { invitation_hash: text, invitation_expires_at: text }
const NEW_MEMBER = {
  id: text,
  email: text,
  name: text,
  role: columnOf<Role>(),
  created_by: text,
  ...INVITATION,
}
export type Invitation = RowOf<typeof INVITATION>
export type NewMember = RowOf<typeof NEW_MEMBER>

const newMember = columnList(NEW_MEMBER)

/** Nothing where the address is a member's already. */
export const insertMember = (
  tx: Transaction,
  orgId: string,
  member: NewMember,
): Promise<MemberRow | undefined> =>
  firstRow(
    tx,
    `INSERT INTO members (org_id, ${newMember.names}) VALUES ($1, ${newMember.placeholders(2)})
     ON CONFLICT (org_id, lower(email)) DO NOTHING RETURNING ${COLUMNS}`,
    [orgId, ...newMember.valuesOf(member)],
  )

export const updateMember = rowUpdater<MemberRow, MemberColumns>('members', changed, COLUMNS)

/**
 * The person who accepts it may be another than the one who signed in before, with the issuer of the organization. That one's
 * tokens still bear the address for a while, and would be quicker than any person: they bind no more.
 */
export const replaceInvitation = (
  tx: Transaction,
  orgId: string,
  id: string,
  invitation: Invitation,
): Promise<unknown> =>
  tx.query(
    `UPDATE members SET invitation_hash = $3, invitation_expires_at = $4, issuer = NULL, subject = NULL,
       tokens_valid_from = CASE WHEN issuer IS NULL THEN tokens_valid_from ELSE now() END
     WHERE org_id = $1 AND id = $2`,
    [orgId, id, invitation.invitation_hash, invitation.invitation_expires_at],
  )
