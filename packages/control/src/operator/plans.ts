/**
 * Rate-limit policies, and the plans that include them. A policy that changes is told to every gateway; which policies a plan
 * includes decides only what may be chosen from then on, so a site keeps the policy that it has.
 */
import { type RateLimitPolicy, rateLimitPolicy } from '@sallyport/contract'
import type { ChangeTransaction, Database, Transaction } from '../database/database.ts'
import type { ChangeInstallation } from './installation-log.ts'
import { OperatorRefusal } from './refusal.ts'

export interface Plan {
  readonly name: string
  readonly policies: readonly string[]
}

export interface PlanSummary extends Plan {
  readonly organizations: number
}

export interface PolicySummary extends RateLimitPolicy {
  readonly plans: readonly string[]
  /** Sites that it limits now. */
  readonly sites: number
}

export interface PlanActs {
  listPolicies(): Promise<PolicySummary[]>
  createPolicy(policy: unknown): Promise<RateLimitPolicy>
  /** Replaces the limits of a policy: at every gateway, for every site that has it. */
  changePolicy(policy: unknown): Promise<RateLimitPolicy>
  /** Refused while a plan includes it or a site has it. */
  removePolicy(name: string): Promise<void>
  listPlans(): Promise<PlanSummary[]>
  createPlan(plan: Plan): Promise<Plan>
  changePlan(plan: Plan): Promise<Plan>
  /** Refused while an organization has it. */
  removePlan(name: string): Promise<void>
}

const NAME = /^[a-z][a-z0-9-]{0,63}$/

const POLICY = 'SELECT name, site, per_researcher AS "perResearcher"'

export const planActs = (database: Database, change: ChangeInstallation): PlanActs => ({
  listPolicies: () => listPolicies(database),
  createPolicy: (given) =>
    change(async (tx) => {
      const policy = readPolicy(given)
      const rows = await tx.query(
        `INSERT INTO rate_limit_policies (name, site, per_researcher) VALUES ($1, $2, $3)
         ON CONFLICT (name) DO NOTHING RETURNING 1`,
        policyValues(policy),
      )
      if (rows.length === 0) throw new OperatorRefusal(`there is a policy ${policy.name} already`)
      recordPolicy(tx, 'policy.create', policy.name, null, policy)
      return policy
    }),
  changePolicy: (given) =>
    change(async (tx) => {
      const policy = readPolicy(given)
      const before = await lockPolicy(tx, policy.name)
      await tx.query(
        'UPDATE rate_limit_policies SET site = $2, per_researcher = $3 WHERE name = $1',
        policyValues(policy),
      )
      recordPolicy(tx, 'policy.change', policy.name, before, policy)
      return policy
    }),
  removePolicy: (name) => removePolicy(database, change, name),
  listPlans: () => listPlans(database),
  createPlan: (plan) =>
    change(async (tx) => {
      await requirePlanToBeSound(tx, plan)
      const rows = await tx.query(
        'INSERT INTO plans (name, policies) VALUES ($1, $2) ON CONFLICT (name) DO NOTHING RETURNING 1',
        [plan.name, plan.policies],
      )
      if (rows.length === 0) throw new OperatorRefusal(`there is a plan ${plan.name} already`)
      recordPlan(tx, 'plan.create', null, plan)
      return plan
    }),
  changePlan: (plan) =>
    change(async (tx) => {
      await requirePlanToBeSound(tx, plan)
      const before = await lockPlan(tx, plan.name)
      await tx.query('UPDATE plans SET policies = $2 WHERE name = $1', [plan.name, plan.policies])
      recordPlan(tx, 'plan.change', before, plan)
      return plan
    }),
  removePlan: (name) => removePlan(database, change, name),
})

const listPolicies = (database: Database): Promise<PolicySummary[]> =>
  database.readInstallation((tx) =>
    tx.query<PolicySummary>(
      `${POLICY},
         ARRAY(SELECT p.name FROM plans p WHERE r.name = ANY (p.policies) ORDER BY 1) AS plans,
         (SELECT count(*)::int FROM sites s WHERE s.rate_limit = r.name) AS sites
       FROM rate_limit_policies r ORDER BY name`,
    ),
  )

const listPlans = (database: Database): Promise<PlanSummary[]> =>
  database.readInstallation((tx) =>
    tx.query<PlanSummary>(
      `SELECT name, policies, (SELECT count(*)::int FROM organizations o WHERE o.plan = p.name) AS organizations
       FROM plans p ORDER BY name`,
    ),
  )

async function removePolicy(database: Database, change: ChangeInstallation, name: string): Promise<void> {
  const uses = (await listPolicies(database)).find((policy) => policy.name === name)
  if (uses && uses.plans.length > 0)
    throw new OperatorRefusal(`plans include the policy ${name}: ${uses.plans.join(', ')}`)
  if (uses && uses.sites > 0) throw new OperatorRefusal(`the policy ${name} limits ${uses.sites} sites`)
  await change(async (tx) => {
    const before = await lockPolicy(tx, name)
    const removed = await tx.query(
      `DELETE FROM rate_limit_policies
       WHERE name = $1 AND NOT EXISTS (SELECT 1 FROM plans WHERE $1 = ANY (policies)) RETURNING 1`,
      [name],
    )
    if (removed.length === 0) throw new OperatorRefusal(`a plan has come to include the policy ${name}`)
    recordPolicy(tx, 'policy.remove', name, before, null)
  })
}

async function removePlan(database: Database, change: ChangeInstallation, name: string): Promise<void> {
  const plan = (await listPlans(database)).find((one) => one.name === name)
  if (plan && plan.organizations > 0)
    throw new OperatorRefusal(`${plan.organizations} organizations have the plan ${name}`)
  await change(async (tx) => {
    const before = await lockPlan(tx, name)
    await tx.query('DELETE FROM plans WHERE name = $1', [name])
    recordPlan(tx, 'plan.remove', before, null)
  })
}

function readPolicy(given: unknown): RateLimitPolicy {
  const parsed = rateLimitPolicy.safeParse(given)
  if (parsed.success) return parsed.data
  const faults = parsed.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`)
  throw new OperatorRefusal(`that is not a policy: ${faults.join('; ')}`)
}

const policyValues = ({ name, site, perResearcher }: RateLimitPolicy): unknown[] => [
  name,
  JSON.stringify(site),
  perResearcher && JSON.stringify(perResearcher),
]

async function lockPolicy(tx: Transaction, name: string): Promise<RateLimitPolicy> {
  const [policy] = await tx.query<RateLimitPolicy>(
    `${POLICY} FROM rate_limit_policies WHERE name = $1 FOR UPDATE`,
    [name],
  )
  if (!policy) throw new OperatorRefusal(`there is no policy ${name}`)
  return policy
}

async function lockPlan(tx: Transaction, name: string): Promise<Plan> {
  const [plan] = await tx.query<Plan>('SELECT name, policies FROM plans WHERE name = $1 FOR UPDATE', [name])
  if (!plan) throw new OperatorRefusal(`there is no plan ${name}`)
  return plan
}

async function requirePlanToBeSound(tx: Transaction, { name, policies }: Plan): Promise<void> {
  if (!NAME.test(name))
    throw new OperatorRefusal('the name of a plan is made of lower-case letters, digits and hyphens')
  const rows = await tx.query<{ name: string }>('SELECT name FROM rate_limit_policies ORDER BY name')
  const known = rows.map((row) => row.name)
  const unknown = policies.filter((policy) => !known.includes(policy))
  if (unknown.length > 0)
    throw new OperatorRefusal(`there is no policy ${unknown.join(', ')}; there are ${known.join(', ')}`)
}

function recordPolicy(
  tx: ChangeTransaction,
  action: string,
  name: string,
  before: RateLimitPolicy | null,
  after: RateLimitPolicy | null,
): void {
  tx.record({ action, target: { kind: 'policy', id: name }, before, after, config: [['policy', name]] })
}

/** Gateways know nothing of plans. */
function recordPlan(tx: ChangeTransaction, action: string, before: Plan | null, after: Plan | null): void {
  tx.record({ action, target: { kind: 'plan', id: (after ?? before)?.name ?? '' }, before, after })
}
