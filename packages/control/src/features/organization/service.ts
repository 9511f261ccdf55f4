/** The organization's own record: kill switch, credits, billing details, the policies of its plan. */
import {
  type AuditAction,
  type Billing,
  type CallerSession,
  type CreditEntry,
  email as emailAddress,
  type OrganizationDetails,
  PERMISSIONS,
  rateLimitPolicy,
  roleAllows,
} from '@sallyport/contract'
import { changedFields, isUnchanged } from '../../audit/changed-fields.ts'
import { type ConfigItem, type Database, newId, type Transaction } from '../../database/database.ts'
import { invalid, ProblemError } from '../../errors.ts'
import { bindDependencies } from '../../http/bind-dependencies.ts'
import { type RequestContext, requireVersion } from '../../http/context.ts'
import type { BodyOf, Versioned } from '../../http/handlers.ts'
import { pageOfRows } from '../../http/request/paging.ts'
import { listPage, lockForChange, readRow } from '../../http/rows.ts'
import type { Principal } from '../../identity/principal.ts'
import * as store from './store.ts'

export interface OrganizationDeps {
  readonly database: Database
  /** Of the program. */
  readonly version: string
  /** Whether a gateway that may still serve the organization runs an older revision than its last change. */
  readonly isDeploymentProgress: (orgId: string) => boolean
}

interface PageQuery {
  readonly limit: number
  readonly cursor?: string | undefined
}

type Changed = Partial<store.ChangedColumns>

/** Locks the organization, applies what `decide` returns, and records it where something changes. */
async function changeOrganization(
  deps: OrganizationDeps,
  context: RequestContext,
  action: AuditAction,
  decide: (row: store.OrganizationRow, tx: Transaction) => Changed | Promise<Changed>,
): Promise<Versioned<OrganizationDetails>> {
  const { orgId } = context
  const row = await deps.database.change(context, async (tx) => {
    const before = await lockForChange(store.lockOrganization, tx, context, orgId)
    const columns = { ...before, ...(await decide(before, tx)) }
    const changed = changedFields(audited(before), audited(columns))
    if (isUnchanged(changed)) return before
    const after = await store.updateOrganization(tx, orgId, columns)
    const target = { kind: 'organization', id: orgId }
    const config: ConfigItem[] = [['organization', orgId]]
    tx.record({ action, target, ...changed, config })
    return after
  })
  return presentDetails(row, deps)
}

async function get({ database }: OrganizationDeps, { orgId }: RequestContext) {
  const row = await requireOrganization(database, orgId)
  return { id: row.org_id, credits: row.credits }
}

async function getProfile({ database }: OrganizationDeps, { orgId, principal }: RequestContext) {
  const { token } = principal
  return { email: await addressOf(database, principal), token, tenant: orgId }
}

async function getRole({ database, version }: OrganizationDeps, { principal }: RequestContext) {
  const { kind, userId, role } = principal
  const permissions = PERMISSIONS.filter((permission) => roleAllows(role, permission))
  return { kind, userId, email: await addressOf(database, principal), role, permissions, version }
}

const getDetails = async (deps: OrganizationDeps, { orgId }: RequestContext) =>
  presentDetails(await requireOrganization(deps.database, orgId), deps)

/** What the frame of a page is made of. A part that the role may not read is absent. */
async function getSession(deps: OrganizationDeps, context: RequestContext): Promise<CallerSession> {
  const caller = await getRole(deps, context)
  if (!roleAllows(context.principal.role, 'organization:read')) return { caller }
  return { caller, organization: (await getDetails(deps, context)).body }
}

const update = (
  deps: OrganizationDeps,
  context: RequestContext,
  { name, leaseSeconds, contact }: BodyOf<'organizationUpdate'>,
) =>
  changeOrganization(deps, context, 'organization.update', async (row, tx) => ({
    ...(name !== undefined && { name }),
    ...(contact !== undefined && { contact }),
    ...(leaseSeconds !== undefined && {
      lease_seconds: leaseSeconds,
      lease_longest_seconds: await longestLease(row, leaseSeconds, tx),
    }),
  }))

/** What gateways may hold that have not heard of a change of the lease, the new one included; null for ever. */
async function longestLease(row: store.OrganizationRow, leaseSeconds: number | null, tx: Transaction) {
  const isKnown = await store.isRunEverywhere(tx, row.org_id)
  const held = isKnown ? row.lease_seconds : row.lease_longest_seconds
  return held === null || leaseSeconds === null ? null : Math.max(held, leaseSeconds)
}

const stop = (deps: OrganizationDeps, context: RequestContext) =>
  changeOrganization(deps, context, 'organization.stop', (row) =>
    row.stopped_at === null
      ? { stopped_at: new Date().toISOString(), stopped_by: context.actor.email || context.actor.id }
      : {},
  )

const resume = (deps: OrganizationDeps, context: RequestContext) =>
  changeOrganization(deps, context, 'organization.resume', () => ({ stopped_at: null, stopped_by: null }))

async function charge(
  { database }: OrganizationDeps,
  context: RequestContext,
  amount: number,
  reason: string,
): Promise<CreditEntry> {
  const { orgId, actor } = context
  const row = await database.change(context, async (tx) => {
    const entry = await enterCredits(tx, orgId, -amount, reason, actor.email || actor.id)
    tx.record({
      action: 'credits.charge',
      target: { kind: 'organization', id: orgId },
      before: { credits: entry.balance + amount },
      after: { credits: entry.balance, reason },
    })
    return entry
  })
  return presentCredit(row)
}

const pageOfCredits = ({ database }: OrganizationDeps, { orgId }: RequestContext, query: PageQuery) =>
  listPage(database, orgId, query, (tx, page) => store.listCredits(tx, orgId, page), presentCredit)

async function getBilling({ database }: OrganizationDeps, { orgId }: RequestContext) {
  const stored = await database.read(orgId, (tx) => store.findBilling(tx, orgId))
  return { body: stored?.billing ?? NO_BILLING, version: stored?.version ?? 0 }
}

async function replaceBilling(
  { database }: OrganizationDeps,
  context: RequestContext,
  body: Partial<Billing>,
): Promise<Versioned<Billing>> {
  const { orgId } = context
  const stored = await database.change(context, async (tx) => {
    await store.lockOrganization(tx, orgId)
    const before = await store.findBilling(tx, orgId)
    requireVersion(context, before?.version ?? 0)
    const billing = { ...NO_BILLING, ...body }
    const changed = changedFields(before?.billing ?? NO_BILLING, billing)
    if (isUnchanged(changed)) return before ?? { billing, version: 0 }
    tx.record({ action: 'billing.save', target: { kind: 'billing', id: orgId }, ...changed })
    return store.saveBilling(tx, orgId, billing)
  })
  return { body: stored.billing, version: stored.version }
}

async function pageOfPolicies({ database }: OrganizationDeps, { orgId }: RequestContext, query: PageQuery) {
  if (query.cursor !== undefined && !rateLimitPolicy.shape.name.safeParse(query.cursor).success)
    throw invalid('query/cursor', 'is not a cursor')
  const rows = await database.read(orgId, (tx) =>
    store.listPolicies(tx, orgId, query.cursor ?? null, query.limit),
  )
  return pageOfRows(
    rows,
    query.limit,
    (row) => row.name,
    ({ name, site, per_researcher }) => rateLimitPolicy.parse({ name, site, perResearcher: per_researcher }),
  )
}

/** The operations on the organization's own record. */
export const createOrganizationService = (deps: OrganizationDeps) =>
  bindDependencies(deps, {
    get,
    getProfile,
    getRole,
    getDetails,
    getSession,
    update,
    stop,
    resume,
    charge,
    listCredits: pageOfCredits,
    getBilling,
    saveBilling: replaceBilling,
    listPolicies: pageOfPolicies,
  })

export type OrganizationService = ReturnType<typeof createOrganizationService>

/** Appends to the ledger; the balance and its entry are one transaction. Throws 409 where it would be negative. */
async function enterCredits(
  tx: Transaction,
  orgId: string,
  amount: number,
  reason: string,
  createdBy: string,
): Promise<store.CreditRow> {
  const balance = await store.addCredits(tx, orgId, amount)
  if (balance === undefined) throw new ProblemError('insufficient_credits')
  return store.insertCredit(tx, orgId, { id: newId(), amount, balance, reason, created_by: createdBy })
}

/**
 * The address of the person who answers for a caller. A key that the operator made was made by nobody with one: for it, an owner of the
 * organization answers. What it does is still in the audit log as the operator's key.
 */
async function addressOf(database: Database, { kind, orgId, email }: Principal): Promise<string> {
  if (kind !== 'api-key' || emailAddress.safeParse(email).success) return email
  return (await database.read(orgId, (tx) => store.findOwnerEmail(tx, orgId))) ?? ''
}

const requireOrganization = (database: Database, orgId: string): Promise<store.OrganizationRow> =>
  readRow(database, orgId, orgId, store.findOrganization)

const NO_BILLING: Billing = {
  bussinessName: '',
  vat: '',
  address: '',
  addressLine2: '',
  city: '',
  zipCode: '',
  country: '',
  state: '',
  email: '',
}

const audited = ({
  name,
  stopped_at,
  lease_seconds,
  contact,
}: Pick<store.OrganizationRow, 'name' | 'stopped_at' | 'lease_seconds' | 'contact'>) => ({
  name,
  stoppedDate: stopped_at,
  leaseSeconds: lease_seconds,
  contact,
})

const presentDetails = (
  row: store.OrganizationRow,
  { isDeploymentProgress }: OrganizationDeps,
): Versioned<OrganizationDetails> => ({
  version: row.version,
  body: {
    id: row.org_id,
    credits: row.credits,
    name: row.name,
    plan: row.plan,
    creationDate: row.created_at,
    isSuspended: row.is_suspended,
    isStopped: row.stopped_at !== null,
    stoppedDate: row.stopped_at,
    stoppedBy: row.stopped_by,
    leaseSeconds: row.lease_seconds,
    contact: row.contact,
    isDeploymentProgress: isDeploymentProgress(row.org_id),
  },
})

const presentCredit = (row: store.CreditRow): CreditEntry => ({
  id: row.id,
  amount: row.amount,
  balance: row.balance,
  reason: row.reason,
  createdBy: row.created_by,
  creationDate: row.created_at,
})
