/**
 * Rate-limit policies, and the plans that include them. A policy that changes is sent to every gateway; which policies a plan
 * includes decides only what may be chosen from then on, so a site keeps the policy that it has.
 */
import { type AuditAction, type RateLimitPolicy, rateLimitPolicy } from '@sallyport/contract'
import type { ChangeTransaction, Database, Transaction } from '../database/database.ts'
import type { ChangeInstallation } from './installation-log.ts'
import * as store from './plan-store.ts'
import { OperatorRefusal } from './refusal.ts'

export interface PlanActs {
  listPolicies(): Promise<store.PolicySummary[]>
  createPolicy(policy: unknown): Promise<RateLimitPolicy>
  /** Replaces the limits of a policy: at every gateway, for every site that has it. */
  changePolicy(policy: unknown): Promise<RateLimitPolicy>
  /** Refused while a plan includes it or a site has it. */
  removePolicy(name: string): Promise<void>
  listPlans(): Promise<store.PlanSummary[]>
  createPlan(plan: store.Plan): Promise<store.Plan>
  changePlan(plan: store.Plan): Promise<store.Plan>
  /** Refused while an organization has it. */
  removePlan(name: string): Promise<void>
}

const NAME = /^[a-z][a-z0-9-]{0,63}$/

export const planActs = (database: Database, change: ChangeInstallation): PlanActs => ({
  listPolicies: () => database.readInstallation(store.listPolicies),
  createPolicy: (given) =>
    change(async (tx) => {
      const policy = readPolicy(given)
      if (!(await store.insertPolicy(tx, policy)))
        throw new OperatorRefusal(`there is a policy ${policy.name} already`)
      recordPolicy(tx, 'policy.create', policy.name, null, policy)
      return policy
    }),
  changePolicy: (given) =>
    change(async (tx) => {
      const policy = readPolicy(given)
      const before = await requirePolicy(tx, policy.name)
      await store.updatePolicy(tx, policy)
      recordPolicy(tx, 'policy.change', policy.name, before, policy)
      return policy
    }),
  removePolicy: (name) => removePolicy(database, change, name),
  listPlans: () => database.readInstallation(store.listPlans),
  createPlan: (plan) =>
    change(async (tx) => {
      await requireValidPlan(tx, plan)
      if (!(await store.insertPlan(tx, plan)))
        throw new OperatorRefusal(`there is a plan ${plan.name} already`)
      recordPlan(tx, 'plan.create', null, plan)
      return plan
    }),
  changePlan: (plan) =>
    change(async (tx) => {
      await requireValidPlan(tx, plan)
      const before = await requirePlan(tx, plan.name)
      await store.updatePlan(tx, plan)
      recordPlan(tx, 'plan.change', before, plan)
      return plan
    }),
  removePlan: (name) => removePlan(database, change, name),
})

async function removePolicy(database: Database, change: ChangeInstallation, name: string): Promise<void> {
  const uses = (await database.readInstallation(store.listPolicies)).find((policy) => policy.name === name)
  if (uses && uses.plans.length > 0)
    throw new OperatorRefusal(`plans include the policy ${name}: ${uses.plans.join(', ')}`)
  if (uses && uses.sites > 0) throw new OperatorRefusal(`the policy ${name} limits ${uses.sites} sites`)
  await change(async (tx) => {
    const before = await requirePolicy(tx, name)
    if (!(await store.deletePolicy(tx, name)))
      throw new OperatorRefusal(`a plan has come to include the policy ${name}`)
    recordPolicy(tx, 'policy.remove', name, before, null)
  })
}

async function removePlan(database: Database, change: ChangeInstallation, name: string): Promise<void> {
  const plan = (await database.readInstallation(store.listPlans)).find((one) => one.name === name)
  if (plan && plan.organizations > 0)
    throw new OperatorRefusal(`${plan.organizations} organizations have the plan ${name}`)
  await change(async (tx) => {
    const before = await requirePlan(tx, name)
    await store.deletePlan(tx, name)
    recordPlan(tx, 'plan.remove', before, null)
  })
}

function readPolicy(given: unknown): RateLimitPolicy {
  const parsed = rateLimitPolicy.safeParse(given)
  if (parsed.success) return parsed.data
  const faults = parsed.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`)
  throw new OperatorRefusal(`that is not a policy: ${faults.join('; ')}`)
}

async function requirePolicy(tx: Transaction, name: string): Promise<RateLimitPolicy> {
  const policy = await store.lockPolicy(tx, name)
  if (!policy) throw new OperatorRefusal(`there is no policy ${name}`)
  return policy
}

async function requirePlan(tx: Transaction, name: string): Promise<store.Plan> {
  const plan = await store.lockPlan(tx, name)
  if (!plan) throw new OperatorRefusal(`there is no plan ${name}`)
  return plan
}

async function requireValidPlan(tx: Transaction, { name, policies }: store.Plan): Promise<void> {
  if (!NAME.test(name))
    throw new OperatorRefusal('the name of a plan is made of lower-case letters, digits and hyphens')
  const known = await store.listPolicyNames(tx)
  const unknown = policies.filter((policy) => !known.includes(policy))
  if (unknown.length > 0)
    throw new OperatorRefusal(`there is no policy ${unknown.join(', ')}; there are ${known.join(', ')}`)
}

function recordPolicy(
  tx: ChangeTransaction,
  action: AuditAction,
  name: string,
  before: RateLimitPolicy | null,
  after: RateLimitPolicy | null,
): void {
  tx.record({ action, target: { kind: 'policy', id: name }, before, after, config: [['policy', name]] })
}

/** Gateways know nothing of plans. */
function recordPlan(
  tx: ChangeTransaction,
  action: AuditAction,
  before: store.Plan | null,
  after: store.Plan | null,
): void {
  tx.record({ action, target: { kind: 'plan', id: (after ?? before)?.name ?? '' }, before, after })
}
