/** SQL of the organization's own record, its credits and its billing details. */
import type { Billing } from '@sallyport/contract'
import type { Transaction } from '../../database/database.ts'
import type { PageRequest } from '../../http/request/paging.ts'

export interface OrganizationRow {
  readonly org_id: string
  readonly name: string
  readonly plan: string
  readonly credits: number
  readonly is_suspended: boolean
  readonly stopped_at: string | null
  readonly stopped_by: string | null
  readonly created_at: string
  readonly version: number
}

const COLUMNS = 'org_id, name, plan, credits, is_suspended, stopped_at, stopped_by, created_at, version'

export async function findOrganization(tx: Transaction, orgId: string): Promise<OrganizationRow | undefined> {
  const [row] = await tx.query<OrganizationRow>(`SELECT ${COLUMNS} FROM organizations WHERE org_id = $1`, [
    orgId,
  ])
  return row
}

/** The address of the owner who has been here longest; nothing where no owner is active. */
export async function findOwnerEmail(tx: Transaction, orgId: string): Promise<string | undefined> {
  const [owner] = await tx.query<{ email: string }>(
    `SELECT email FROM members WHERE org_id = $1 AND role = 'owner' AND NOT is_suspended
     ORDER BY created_at, id LIMIT 1`,
    [orgId],
  )
  return owner?.email
}

export async function lockOrganization(tx: Transaction, orgId: string): Promise<OrganizationRow | undefined> {
  const [row] = await tx.query<OrganizationRow>(
    `SELECT ${COLUMNS} FROM organizations WHERE org_id = $1 FOR UPDATE`,
    [orgId],
  )
  return row
}

export async function updateOrganization(
  tx: Transaction,
  orgId: string,
  columns: Pick<OrganizationRow, 'name' | 'stopped_at' | 'stopped_by'>,
): Promise<OrganizationRow> {
  const [row] = await tx.query<OrganizationRow>(
    `UPDATE organizations SET name = $2, stopped_at = $3, stopped_by = $4, version = version + 1
     WHERE org_id = $1 RETURNING ${COLUMNS}`,
    [orgId, columns.name, columns.stopped_at, columns.stopped_by],
  )
  if (!row) throw new Error('a locked organization is gone')
  return row
}

/** Adds to the balance, or takes from it; returns the new balance, or nothing where it would be negative. */
export async function addCredits(
  tx: Transaction,
  orgId: string,
  amount: number,
): Promise<number | undefined> {
  const [row] = await tx.query<{ credits: number }>(
    'UPDATE organizations SET credits = credits + $2 WHERE org_id = $1 AND credits + $2 >= 0 RETURNING credits',
    [orgId, amount],
  )
  return row?.credits
}

export interface CreditRow {
  readonly id: string
  readonly amount: number
  readonly balance: number
  readonly reason: string
  readonly created_by: string
  readonly created_at: string
}

const CREDIT_COLUMNS = 'id, amount, balance, reason, created_by, created_at'

export async function insertCredit(
  tx: Transaction,
  orgId: string,
  entry: Omit<CreditRow, 'created_at'>,
): Promise<CreditRow> {
  const [row] = await tx.query<CreditRow>(
    `INSERT INTO credit_entries (org_id, id, amount, balance, reason, created_by) VALUES ($1, $2, $3, $4, $5, $6)
     RETURNING ${CREDIT_COLUMNS}`,
    [orgId, entry.id, entry.amount, entry.balance, entry.reason, entry.created_by],
  )
  if (!row) throw new Error('an inserted credit entry is gone')
  return row
}

/** Newest first, up to `limit` + 1. */
export const listCredits = (tx: Transaction, orgId: string, page: PageRequest): Promise<CreditRow[]> =>
  tx.query<CreditRow>(
    `SELECT ${CREDIT_COLUMNS} FROM credit_entries WHERE org_id = $1 AND ($2::uuid IS NULL OR id < $2)
     ORDER BY id DESC LIMIT $3`,
    [orgId, page.after, page.limit + 1],
  )

interface BillingRow extends Omit<Billing, 'bussinessName' | 'addressLine2' | 'zipCode'> {
  readonly business_name: string
  readonly address_line_2: string
  readonly zip_code: string
  readonly version: number
}

export interface StoredBilling {
  readonly billing: Billing
  readonly version: number
}

const BILLING_COLUMNS =
  'business_name, vat, address, address_line_2, city, zip_code, country, state, email, version'

export async function findBilling(tx: Transaction, orgId: string): Promise<StoredBilling | undefined> {
  const [row] = await tx.query<BillingRow>(`SELECT ${BILLING_COLUMNS} FROM billing WHERE org_id = $1`, [
    orgId,
  ])
  return row && storedBilling(row)
}

export async function saveBilling(tx: Transaction, orgId: string, billing: Billing): Promise<StoredBilling> {
  const [row] = await tx.query<BillingRow>(
    `INSERT INTO billing AS known (org_id, business_name, vat, address, address_line_2, city, zip_code, country,
       state, email) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
     ON CONFLICT (org_id) DO UPDATE SET business_name = $2, vat = $3, address = $4, address_line_2 = $5, city = $6,
       zip_code = $7, country = $8, state = $9, email = $10, version = known.version + 1
     RETURNING ${BILLING_COLUMNS}`,
    [
      orgId,
      billing.bussinessName,
      billing.vat,
      billing.address,
      billing.addressLine2,
      billing.city,
      billing.zipCode,
      billing.country,
      billing.state,
      billing.email,
    ],
  )
  if (!row) throw new Error('saved billing details are gone')
  return storedBilling(row)
}

const storedBilling = (row: BillingRow): StoredBilling => ({
  version: row.version,
  billing: {
    bussinessName: row.business_name,
    vat: row.vat,
    address: row.address,
    addressLine2: row.address_line_2,
    city: row.city,
    zipCode: row.zip_code,
    country: row.country,
    state: row.state,
    email: row.email,
  },
})

export interface PolicyRow {
  readonly name: string
  readonly site: unknown
  readonly per_researcher: unknown
}

/** The policies of the organization's plan by name, up to `limit` + 1 after the name given. */
export const listPolicies = (
  tx: Transaction,
  orgId: string,
  after: string | null,
  limit: number,
): Promise<PolicyRow[]> =>
  tx.query<PolicyRow>(
    `SELECT r.name, r.site, r.per_researcher FROM organizations o JOIN plans p ON p.name = o.plan
       JOIN rate_limit_policies r ON r.name = ANY (p.policies)
     WHERE o.org_id = $1 AND ($2::text IS NULL OR r.name > $2) ORDER BY r.name LIMIT $3`,
    [orgId, after, limit + 1],
  )
