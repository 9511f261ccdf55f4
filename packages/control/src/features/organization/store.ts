/** SQL of the organization's own record, its credits and its billing details. */
import type { Billing } from '@sallyport/contract'
import { columnList, columnOf, flag, integer, type RowOf, text, textOrNull } from '../../database/columns.ts'
import type { Transaction } from '../../database/database.ts'
import { firstRow, firstValue, rowInserter, writtenRow } from '../../database/rows.ts'
import type { PageRequest } from '../../http/request/paging.ts'

const integerOrNull = columnOf<number | null>()
const CHANGED = {
  name: text,
  stopped_at: textOrNull,
  stopped_by: textOrNull,
  lease_seconds: integerOrNull,
  lease_longest_seconds: integerOrNull,
  contact: text,
}
export type ChangedColumns = RowOf<typeof CHANGED>
const ORGANIZATION = {
  org_id: text,
  plan: text,
  credits: integer,
  is_suspended: flag,
  created_at: text,
  version: integer,
  ...CHANGED,
}
export type OrganizationRow = RowOf<typeof ORGANIZATION>

const COLUMNS = columnList(ORGANIZATION).names
const changed = columnList(CHANGED)

export const findOrganization = (tx: Transaction, orgId: string): Promise<OrganizationRow | undefined> =>
  firstRow(tx, `SELECT ${COLUMNS} FROM organizations WHERE org_id = $1`, [orgId])

/** The address of the owner who has been here longest; nothing where no owner is active. */
export const findOwnerEmail = (tx: Transaction, orgId: string): Promise<string | undefined> =>
  firstValue(
    tx,
    `SELECT email FROM members WHERE org_id = $1 AND role = 'owner' AND NOT is_suspended
     ORDER BY created_at, id LIMIT 1`,
    [orgId],
  )

export const lockOrganization = (tx: Transaction, orgId: string): Promise<OrganizationRow | undefined> =>
  firstRow(tx, `SELECT ${COLUMNS} FROM organizations WHERE org_id = $1 FOR UPDATE`, [orgId])

export const updateOrganization = (
  tx: Transaction,
  orgId: string,
  columns: ChangedColumns,
): Promise<OrganizationRow> =>
  writtenRow(
    tx,
    `UPDATE organizations SET ${changed.assignments(2)}, version = version + 1
     WHERE org_id = $1 RETURNING ${COLUMNS}`,
    [orgId, ...changed.valuesOf(columns)],
  )

/** Whether every gateway that is known runs the last change of the organization. */
export const isRunEverywhere = async (tx: Transaction, orgId: string): Promise<boolean> =>
  (await firstValue<boolean>(
    tx,
    `SELECT NOT EXISTS (SELECT FROM gateways WHERE revision <
       (SELECT revision FROM config_revisions WHERE kind = 'organization' AND id = $1))`,
    [orgId],
  )) ?? false

/** Adds to the balance, or takes from it; returns the new balance, or nothing where it would be negative. */
export const addCredits = (tx: Transaction, orgId: string, amount: number): Promise<number | undefined> =>
  firstValue(
    tx,
    'UPDATE organizations SET credits = credits + $2 WHERE org_id = $1 AND credits + $2 >= 0 RETURNING credits',
    [orgId, amount],
  )

const CREDIT = { id: text, amount: integer, balance: integer, reason: text, created_by: text }
export type CreditRow = RowOf<typeof CREDIT> & { readonly created_at: string }

const credit = columnList(CREDIT)
const CREDIT_COLUMNS = `${credit.names}, created_at`

export const insertCredit = rowInserter<CreditRow, RowOf<typeof CREDIT>>(
  'credit_entries',
  credit,
  CREDIT_COLUMNS,
)

/** Newest first, up to `limit` + 1. */
export const listCredits = (tx: Transaction, orgId: string, page: PageRequest): Promise<CreditRow[]> =>
  tx.query<CreditRow>(
    `SELECT ${CREDIT_COLUMNS} FROM credit_entries WHERE org_id = $1 AND ($2::uuid IS NULL OR id < $2)
     ORDER BY id DESC LIMIT $3`,
    [orgId, page.after, page.limit + 1],
  )

/** The fields of the wire by the columns that hold them. */
const BILLING = {
  business_name: 'bussinessName',
  vat: 'vat',
  address: 'address',
  address_line_2: 'addressLine2',
  city: 'city',
  zip_code: 'zipCode',
  country: 'country',
  state: 'state',
  email: 'email',
} as const satisfies Readonly<Record<string, keyof Billing>>
type BillingRow = { readonly [Name in keyof typeof BILLING]: string } & { readonly version: number }

const BILLING_FIELDS = Object.entries(BILLING) as [keyof typeof BILLING, keyof Billing][]
const billing = columnList(BILLING)
const BILLING_COLUMNS = `${billing.names}, version`

export interface StoredBilling {
  readonly billing: Billing
  readonly version: number
}

export async function findBilling(tx: Transaction, orgId: string): Promise<StoredBilling | undefined> {
  const query = `SELECT ${BILLING_COLUMNS} FROM billing WHERE org_id = $1`
  const row = await firstRow<BillingRow>(tx, query, [orgId])
  return row && storedBilling(row)
}

export async function saveBilling(tx: Transaction, orgId: string, details: Billing): Promise<StoredBilling> {
  const row = await writtenRow<BillingRow>(
    tx,
    `INSERT INTO billing AS known (org_id, ${billing.names}) VALUES ($1, ${billing.placeholders(2)})
     ON CONFLICT (org_id) DO UPDATE SET ${billing.assignments(2)}, version = known.version + 1
     RETURNING ${BILLING_COLUMNS}`,
    [orgId, ...BILLING_FIELDS.map(([, field]) => details[field])],
  )
  return storedBilling(row)
}

const storedBilling = (row: BillingRow): StoredBilling => ({
  version: row.version,
  billing: Object.fromEntries(BILLING_FIELDS.map(([name, field]) => [field, row[name]])) as Billing,
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
