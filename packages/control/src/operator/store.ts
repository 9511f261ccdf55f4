/** SQL of the operator's acts. Those that name an organization run inside it, like any other change. */
import type { Role } from '@sallyport/contract'
import type { Transaction } from '../database/database.ts'
import { firstRow, firstValue, hasRows } from '../database/rows.ts'

export interface OrganizationSummary {
  readonly id: string
  readonly name: string
  readonly plan: string
  readonly credits: number
  readonly isSuspended: boolean
  /** For how many days its record of traffic is kept. */
  readonly retentionDays: number
  readonly createdAt: string
}

/** What the operator decides of an organization. */
export type OrganizationTerms = Pick<OrganizationSummary, 'plan' | 'isSuspended' | 'retentionDays'>

const ORGANIZATION = `
  SELECT org_id AS id, name, plan, credits, is_suspended AS "isSuspended",
    retention_days AS "retentionDays", created_at AS "createdAt" FROM organizations`

/** Across organizations, oldest first. */
export const listOrganizations = (tx: Transaction): Promise<OrganizationSummary[]> =>
  tx.query<OrganizationSummary>(`${ORGANIZATION} ORDER BY org_id`)

export const isOrganization = (tx: Transaction, orgId: string): Promise<boolean> =>
  hasRows(tx, 'SELECT 1 FROM organizations WHERE org_id = $1', [orgId])

export const lockOrganization = (tx: Transaction, orgId: string): Promise<OrganizationSummary | undefined> =>
  firstRow(tx, `${ORGANIZATION} WHERE org_id = $1 FOR UPDATE`, [orgId])

export const insertOrganization = (tx: Transaction, orgId: string, name: string, plan: string) =>
  tx.query('INSERT INTO organizations (org_id, name, plan) VALUES ($1, $2, $3)', [orgId, name, plan])

export const updateOrganization = (
  tx: Transaction,
  orgId: string,
  { plan, isSuspended, retentionDays }: OrganizationTerms,
) =>
  tx.query(
    `UPDATE organizations SET plan = $2, is_suspended = $3, retention_days = $4,
       retention_changed_at = CASE retention_days WHEN $4 THEN retention_changed_at ELSE now() END, version = version + 1
     WHERE org_id = $1`,
    [orgId, plan, isSuspended, retentionDays],
  )

export interface GrantedCredits {
  readonly id: string
  readonly amount: number
  readonly reason: string
  readonly by: string
}

/** Adds credits and enters them in the ledger. Returns the new balance; nothing where there is no organization. */
export const insertCredits = (
  tx: Transaction,
  orgId: string,
  { id, amount, reason, by }: GrantedCredits,
): Promise<number | undefined> =>
  firstValue(
    tx,
    `WITH changed AS (
       UPDATE organizations SET credits = credits + $3 WHERE org_id = $1 RETURNING credits
     )
     INSERT INTO credit_entries (org_id, id, amount, balance, reason, created_by)
       SELECT $1, $2, $3, credits, $4, $5 FROM changed RETURNING balance`,
    [orgId, id, amount, reason, by],
  )

export interface NewAccount {
  readonly id: string
  readonly email: string
  readonly role: Role
  readonly passwordHash: string
}

/** Returns false where the organization has an account with this address. */
export const insertAccount = (tx: Transaction, orgId: string, account: NewAccount): Promise<boolean> =>
  hasRows(
    tx,
    `INSERT INTO members (org_id, id, email, role, password_hash, created_by)
       VALUES ($1, $2, $3, $4, $5, 'operator')
       ON CONFLICT (org_id, lower(email)) DO NOTHING RETURNING id`,
    [orgId, account.id, account.email, account.role, account.passwordHash],
  )

/** Sets the password and refuses the tokens issued before. Returns the account's id, nothing where there is none. */
export const replaceAccountPassword = (
  tx: Transaction,
  orgId: string,
  email: string,
  passwordHash: string,
): Promise<string | undefined> =>
  firstValue(
    tx,
    `UPDATE members SET password_hash = $3, invitation_hash = NULL, invitation_expires_at = NULL,
       tokens_valid_from = now(), version = version + 1
     WHERE org_id = $1 AND lower(email) = lower($2) RETURNING id`,
    [orgId, email, passwordHash],
  )

export interface AccountSummary {
  readonly id: string
  readonly email: string
  readonly role: Role
  readonly isSuspended: boolean
  readonly createdAt: string
  readonly lastSignInAt: string | null
}

export const listAccounts = (tx: Transaction, orgId: string): Promise<AccountSummary[]> =>
  tx.query<AccountSummary>(
    `SELECT id, email, role, is_suspended AS "isSuspended", created_at AS "createdAt",
       last_sign_in_at AS "lastSignInAt"
     FROM members WHERE org_id = $1 ORDER BY id`,
    [orgId],
  )

/** Acts at a gateway that were recorded within the last day. */
export const countClosureActs = async (tx: Transaction, gatewayId: string): Promise<number> => {
  const [row] = await tx.query<{ count: number }>(
    `SELECT count(*)::int AS count FROM closure_acts WHERE gateway_id = $1 AND recorded_at > now() - interval '1 day'`,
    [gatewayId],
  )
  return row?.count ?? 0
}

/** Notes an act of an operator at a gateway. False where it was recorded before. */
export const insertClosureAct = (tx: Transaction, id: string, gatewayId: string): Promise<boolean> =>
  hasRows(
    tx,
    'INSERT INTO closure_acts (id, gateway_id) VALUES ($1, $2) ON CONFLICT (id) DO NOTHING RETURNING 1',
    [id, gatewayId],
  )
