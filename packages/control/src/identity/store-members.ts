/** Members as sign-in needs them. What owners do with them is `features/members`. */
import type { Role } from '@sallyport/contract'
import type { Transaction } from '../database/database.ts'
import { firstRow, hasRows } from '../database/rows.ts'
import { emailSpelling } from './email-spelling.ts'

/** A member who may sign in: not suspended, of an organization that exists. */
export interface ActiveMember {
  readonly memberId: string
  readonly orgId: string
  readonly organizationName: string
  readonly email: string
  readonly name: string
  readonly role: Role
  readonly passwordHash: string | null
  /** ISO 8601; tokens issued before are refused. Null for no such instant. */
  readonly tokensValidFrom: string | null
}

const ACTIVE_MEMBER = `
  SELECT member.id AS "memberId", org_id AS "orgId", organization.name AS "organizationName", member.email,
    member.name, member.role, member.password_hash AS "passwordHash", member.tokens_valid_from AS "tokensValidFrom"
  FROM members member JOIN organizations organization USING (org_id)
  WHERE NOT member.is_suspended`

/** Most accounts of one address that are read for a sign-in. */
const ACCOUNTS_OF_ADDRESS_MAX = 1_000

/** Across organizations, the last that was signed in to first. Accounts without a password cannot be signed in to and are left out. */
export const findMembersByEmail = (tx: Transaction, email: string): Promise<ActiveMember[]> =>
  tx.query<ActiveMember>(
    `${ACTIVE_MEMBER} AND lower(member.email) = $1 AND member.password_hash IS NOT NULL
     ORDER BY member.last_sign_in_at DESC NULLS LAST, member.id LIMIT ${ACCOUNTS_OF_ADDRESS_MAX}`,
    [emailSpelling(email)],
  )

/** Across organizations. */
export const findMemberById = (tx: Transaction, memberId: string): Promise<ActiveMember | undefined> =>
  firstRow(tx, `${ACTIVE_MEMBER} AND member.id = $1`, [memberId])

/** A member of an organization whose people sign in with an issuer of its own; without a member, the organization alone. */
export interface Membership {
  readonly orgId: string
  readonly memberId: string
  readonly email: string
  readonly role: Role
  readonly isSuspended: boolean
  /** Whether the member has signed in, as whichever subject. */
  readonly isBound: boolean
  /** Whether it was as the subject that was asked for. */
  readonly isSubject: boolean
  /** ISO 8601; tokens issued before bind nobody to the member. Null for no such instant. */
  readonly tokensValidFrom: string | null
}

interface NoMembership {
  readonly orgId: string
  readonly memberId: null
}

/**
 * Across organizations: the member who is bound to the subject and the one who has the address, which may be two; one row
 * without a member where there is neither, and no row where there is no such organization.
 */
export const findMemberships = (
  tx: Transaction,
  orgId: string,
  { issuer, subject, email }: { readonly issuer: string; readonly subject: string; readonly email: string },
): Promise<(Membership | NoMembership)[]> =>
  tx.query<Membership | NoMembership>(
    `SELECT organization.org_id AS "orgId", member.id AS "memberId", member.email, member.role,
       coalesce(member.is_suspended, false) AS "isSuspended", member.issuer IS NOT NULL AS "isBound",
       coalesce(member.issuer = $3 AND member.subject = $4, false) AS "isSubject",
       member.tokens_valid_from AS "tokensValidFrom"
     FROM organizations organization
     LEFT JOIN members member ON member.org_id = organization.org_id
       AND (lower(member.email) = $2 OR (member.issuer = $3 AND member.subject = $4))
     WHERE organization.org_id = $1`,
    [orgId, emailSpelling(email), issuer, subject],
  )

/** Notes who the member is at the issuer; false if that was noted before, or the member may not sign in. */
export const bindMember = (
  tx: Transaction,
  orgId: string,
  { memberId, issuer, subject }: { memberId: string; issuer: string; subject: string },
): Promise<boolean> =>
  hasRows(
    tx,
    `UPDATE members SET issuer = $3, subject = $4, last_sign_in_at = now()
     WHERE org_id = $1 AND id = $2 AND issuer IS NULL AND NOT is_suspended RETURNING id`,
    [orgId, memberId, issuer, subject],
  )

/** Across organizations. An invitation of a suspended member is no invitation. */
export const findMemberByInvitation = (
  tx: Transaction,
  invitationHash: string,
): Promise<ActiveMember | undefined> =>
  firstRow(tx, `${ACTIVE_MEMBER} AND member.invitation_hash = $1 AND member.invitation_expires_at > now()`, [
    invitationHash,
  ])

const SET_PASSWORD = `
  UPDATE members SET password_hash = $4, invitation_hash = NULL, invitation_expires_at = NULL,
    tokens_valid_from = now(), version = version + 1
  WHERE org_id = $1 AND id = $2`

/** Uses the invitation up; false if it was used or replaced meanwhile. */
export const spendInvitation = (
  tx: Transaction,
  orgId: string,
  values: { memberId: string; invitationHash: string; passwordHash: string },
): Promise<boolean> =>
  hasRows(
    tx,
    `${SET_PASSWORD} AND invitation_hash = $3 AND invitation_expires_at > now() AND NOT is_suspended RETURNING id`,
    [orgId, values.memberId, values.invitationHash, values.passwordHash],
  )

/** Replaces a password; false if it was changed meanwhile. */
export const replacePassword = (
  tx: Transaction,
  orgId: string,
  { memberId, before, after }: { memberId: string; before: string; after: string },
): Promise<boolean> =>
  hasRows(tx, `${SET_PASSWORD} AND password_hash = $3 RETURNING id`, [orgId, memberId, before, after])

export const recordSignIn = (tx: Transaction, orgId: string, memberId: string): Promise<unknown> =>
  tx.query('UPDATE members SET last_sign_in_at = now() WHERE org_id = $1 AND id = $2', [orgId, memberId])

/** Ends every session of an account: without its artifacts no token can be renewed. */
export const endSessions = (tx: Transaction, memberId: string): Promise<unknown> =>
  tx.query('DELETE FROM identity_artifacts WHERE account_id = $1', [memberId])
