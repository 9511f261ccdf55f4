/**
 * What the operator of the installation does to it, from the command line: organizations, plans, credits, keys, accounts.
 * There is no HTTP way to these. Every act is a change like any other: in one transaction, in one organization, audited.
 */
import { isDeepStrictEqual } from 'node:util'
import {
  API_KEY_PREFIX,
  type AuditAction,
  email as emailAddress,
  filledText,
  isUuid,
  NAME_CHARS_MAX,
  ROLES,
  type Role,
} from '@sallyport/contract'
import type { z } from 'zod'
import { type ChangeContext, type Database, newId, type Transaction } from '../database/database.ts'
import { issueSecretKey } from '../identity/api-keys/secret-keys.ts'
import { type ApiKeyRow, insertApiKey, listAllApiKeys, revokeApiKey } from '../identity/api-keys/store.ts'
import { createPasswordHasher, type PasswordHasher } from '../identity/sign-in/passwords.ts'
import {
  issueFirstCredentials,
  makePassword,
  type OrganizationCredentials,
  storedApiKey,
} from './credentials.ts'
import { type GatewayActs, gatewayActs } from './gateways.ts'
import { changesBy, type InstallationLogEntry, readInstallationLog } from './installation-log.ts'
import { listPlanNames } from './plan-store.ts'
import { type PlanActs, planActs } from './plans.ts'
import { OperatorRefusal } from './refusal.ts'
import { type RuleSetActs, ruleSetActs } from './rule-sets.ts'
import * as store from './store.ts'

export interface NewOrganization {
  readonly name: string
  /** The owner's address. */
  readonly email: string
  /** A plan's name; the default plan unless given. */
  readonly plan?: string | undefined
}

/** Password and key are shown once and kept nowhere. */
export interface CreatedOrganization {
  readonly organizationId: string
  readonly email: string
  readonly password: string
  readonly apiKey: string
}

export interface CreatedApiKey {
  readonly id: string
  readonly key: string
}

export interface Operator extends RuleSetActs, PlanActs, GatewayActs {
  /** Every change to what belongs to no organization, oldest first. */
  readInstallationLog(): Promise<InstallationLogEntry[]>
  /** Makes an organization with an owner account and an API key of the owner's role; all of it or nothing. */
  createOrganization(
    wanted: NewOrganization,
    credentials?: OrganizationCredentials,
  ): Promise<CreatedOrganization>
  listOrganizations(): Promise<store.OrganizationSummary[]>
  setPlan(orgId: string, plan: string): Promise<store.OrganizationSummary>
  /** Nothing of a suspended organization is served. */
  setSuspended(orgId: string, isSuspended: boolean): Promise<store.OrganizationSummary>
  /** For how many days its record of traffic is kept; also what is recorded already, some minutes later. */
  setRetention(orgId: string, days: number): Promise<store.OrganizationSummary>
  grantCredits(orgId: string, amount: number, reason: string): Promise<{ readonly balance: number }>
  listApiKeys(orgId: string): Promise<ApiKeySummary[]>
  createApiKey(orgId: string, name: string, role: Role): Promise<CreatedApiKey>
  revokeApiKey(orgId: string, id: string): Promise<void>
  listAccounts(orgId: string): Promise<store.AccountSummary[]>
  createAccount(orgId: string, email: string, role: Role): Promise<{ readonly password: string }>
  resetPassword(orgId: string, email: string): Promise<{ readonly password: string }>
}

const DEFAULT_PLAN = 'standard'
const OPERATOR = 'operator'
/** As in the table's own check. */
const RETENTION_DAYS_MAX = 3_650

/**
 * The operator's acts on an open database.
 *
 * @param by who acts, for the installation's own log; an organization's log says only that it was the operator
 */
export function createOperator(database: Database, by = OPERATOR): Operator {
  const changeInstallation = changesBy(database, by)
  const hasher = createPasswordHasher()
  const keys = apiKeyActs(database)
  return {
    ...organizationActs(database, hasher),
    ...keys,
    ...accountActs(database, hasher),
    ...ruleSetActs(database, changeInstallation),
    ...planActs(database, changeInstallation),
    ...gatewayActs(database, changeInstallation, by),
    readInstallationLog: () => readInstallationLog(database),
    grantCredits: async (orgId, amount, reason) =>
      database.change(contextOf(orgId), async (tx) => {
        if (!Number.isSafeInteger(amount) || amount <= 0)
          throw new OperatorRefusal('credits are granted in whole numbers above 0')
        requireForm('the reason', reason, displayName)
        const id = newId()
        const balance = await store.insertCredits(tx, orgId, { id, amount, reason, by: OPERATOR })
        if (balance === undefined) throw unknownOrganization(orgId)
        if (!Number.isSafeInteger(balance))
          throw new OperatorRefusal(`an organization has at most ${Number.MAX_SAFE_INTEGER} credits`)
        tx.record({
          action: 'credits.grant',
          target: { kind: 'organization', id: orgId },
          before: { credits: balance - amount },
          after: { credits: balance, reason },
        })
        return { balance }
      }),
  }
}

function organizationActs(database: Database, hasher: PasswordHasher) {
  const change = async (
    orgId: string,
    action: AuditAction,
    wanted: Partial<store.OrganizationTerms>,
  ): Promise<store.OrganizationSummary> =>
    database.change(contextOf(orgId), async (tx) => {
      const before = await store.lockOrganization(tx, orgId)
      if (!before) throw unknownOrganization(orgId)
      await requirePlan(tx, wanted.plan ?? before.plan)
      const after = { ...before, ...wanted }
      if (isDeepStrictEqual(after, before)) return before
      await store.updateOrganization(tx, orgId, after)
      tx.record({
        action,
        target: { kind: 'organization', id: orgId },
        before: termsOf(before),
        after: termsOf(after),
        config: [['organization', orgId]],
      })
      return after
    })
  return {
    async createOrganization(
      { name, email, plan = DEFAULT_PLAN }: NewOrganization,
      credentials = issueFirstCredentials(),
    ) {
      requireForm('the name', name, displayName)
      requireForm('the e-mail address', email, emailAddress)
      const { organizationId: orgId, password, apiKey } = credentials
      const account = { id: newId(), email, role: 'owner' as const }
      const passwordHash = await hasher.hash(password)
      const stored = storedApiKey(apiKey, 'first key', 'owner', account)
      await database.change(contextOf(orgId), async (tx) => {
        await requirePlan(tx, plan)
        await store.insertOrganization(tx, orgId, name, plan)
        await store.insertAccount(tx, orgId, { ...account, passwordHash })
        await insertApiKey(tx, orgId, stored)
        tx.record({
          action: 'organization.create',
          target: { kind: 'organization', id: orgId },
          before: null,
          after: { name, plan, owner: email },
          config: [['organization', orgId]],
        })
      })
      return { organizationId: orgId, email, password, apiKey }
    },
    listOrganizations: () => database.readInstallation(store.listOrganizations),
    setPlan: (orgId: string, plan: string) => change(orgId, 'organization.setPlan', { plan }),
    setSuspended: (orgId: string, isSuspended: boolean) =>
      change(orgId, isSuspended ? 'organization.suspend' : 'organization.unsuspend', { isSuspended }),
    setRetention: async (orgId: string, retentionDays: number) => {
      if (!Number.isInteger(retentionDays) || retentionDays < 1 || retentionDays > RETENTION_DAYS_MAX)
        throw new OperatorRefusal(`a record is kept for 1 to ${RETENTION_DAYS_MAX} whole days`)
      return change(orgId, 'organization.setRetention', { retentionDays })
    },
  }
}

const termsOf = ({ plan, isSuspended, retentionDays }: store.OrganizationTerms): store.OrganizationTerms => ({
  plan,
  isSuspended,
  retentionDays,
})

/** An API key in the operator's list. */
export interface ApiKeySummary {
  readonly id: string
  readonly name: string
  readonly role: Role
  readonly lookup: string
  readonly createdAt: string
  readonly expiresAt: string | null
  readonly revokedAt: string | null
  readonly lastUsedAt: string | null
}

const presentApiKey = (row: ApiKeyRow): ApiKeySummary => ({
  id: row.id,
  name: row.name,
  role: row.role,
  lookup: row.lookup,
  createdAt: row.created_at,
  expiresAt: row.expires_at,
  revokedAt: row.revoked_at,
  lastUsedAt: row.last_used_at,
})

function apiKeyActs(database: Database) {
  return {
    listApiKeys: async (orgId: string) => {
      await requireOrganization(database, orgId)
      const rows = await database.read(orgId, (tx) => listAllApiKeys(tx, orgId))
      return rows.map(presentApiKey)
    },
    createApiKey: async (orgId: string, name: string, role: Role) =>
      database.change(contextOf(orgId), async (tx) => {
        requireRole(role)
        requireForm('the name', name, displayName)
        if (!(await store.lockOrganization(tx, orgId))) throw unknownOrganization(orgId)
        const { key } = issueSecretKey(API_KEY_PREFIX)
        const stored = storedApiKey(key, name, role, { id: OPERATOR, email: OPERATOR })
        await insertApiKey(tx, orgId, stored)
        const target = { kind: 'apiKey', id: stored.id }
        tx.record({ action: 'apiKey.create', target, before: null, after: { name, role } })
        return { id: stored.id, key }
      }),
    revokeApiKey: async (orgId: string, id: string) =>
      database.change(contextOf(orgId), async (tx) => {
        if (!(await revokeApiKey(tx, orgId, requireId(id))))
          throw new OperatorRefusal(`organization ${orgId} has no key ${id} in force`)
        tx.record({ action: 'apiKey.revoke', target: { kind: 'apiKey', id }, before: null, after: null })
      }),
  }
}

function accountActs(database: Database, hasher: PasswordHasher) {
  return {
    listAccounts: async (orgId: string) => {
      await requireOrganization(database, orgId)
      return database.read(orgId, (tx) => store.listAccounts(tx, orgId))
    },
    async createAccount(orgId: string, email: string, role: Role) {
      requireRole(role)
      requireForm('the e-mail address', email, emailAddress)
      const password = makePassword()
      const account = { id: newId(), email, role, passwordHash: await hasher.hash(password) }
      await database.change(contextOf(orgId), async (tx) => {
        if (!(await store.lockOrganization(tx, orgId))) throw unknownOrganization(orgId)
        if (!(await store.insertAccount(tx, orgId, account)))
          throw new OperatorRefusal(`organization ${orgId} has an account ${email} already`)
        const target = { kind: 'member', id: account.id }
        tx.record({ action: 'member.create', target, before: null, after: { email, role } })
      })
      return { password }
    },
    async resetPassword(orgId: string, email: string) {
      const password = makePassword()
      const passwordHash = await hasher.hash(password)
      await database.change(contextOf(orgId), async (tx) => {
        const id = await store.replaceAccountPassword(tx, orgId, email, passwordHash)
        if (id === undefined) throw new OperatorRefusal(`organization ${orgId} has no account ${email}`)
        tx.record({
          action: 'member.resetPassword',
          target: { kind: 'member', id },
          before: null,
          after: null,
        })
      })
      return { password }
    },
  }
}

/** The operator as the author of a change in one organization. */
export const contextOf = (orgId: string): ChangeContext => ({
  orgId: requireId(orgId),
  actor: { kind: 'operator', id: OPERATOR, email: OPERATOR },
  requestId: newId(),
})

/** Throws where there is no such organization. */
export async function requireOrganization(database: Database, orgId: string): Promise<void> {
  if (!(await database.read(requireId(orgId), (tx) => store.isOrganization(tx, orgId))))
    throw unknownOrganization(orgId)
}

const displayName = filledText(NAME_CHARS_MAX)

/** The operator's input has the same bounds as that of the API. */
function requireForm(what: string, value: string, schema: z.ZodType): void {
  const problem = schema.safeParse(value).error?.issues[0]
  if (problem) throw new OperatorRefusal(`${what} is not valid: ${problem.message}`)
}

function requireId(id: string): string {
  if (!isUuid(id)) throw new OperatorRefusal(`${id} is not an id`)
  return id
}

function requireRole(role: string): void {
  if (!(ROLES as readonly string[]).includes(role))
    throw new OperatorRefusal(`there is no role ${role}; there are ${ROLES.join(', ')}`)
}

async function requirePlan(tx: Transaction, plan: string): Promise<void> {
  const plans = await listPlanNames(tx)
  if (!plans.includes(plan))
    throw new OperatorRefusal(`there is no plan ${plan}; there are ${plans.join(', ')}`)
}

const unknownOrganization = (orgId: string): OperatorRefusal =>
  new OperatorRefusal(`there is no organization ${orgId}`)
