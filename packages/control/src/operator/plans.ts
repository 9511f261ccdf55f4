/**
 * Rate-limit policies, and the plans that include them. They belong to no organization, and so are in no organization's
 * audit log. A policy that changes is told to every gateway; which policies a plan includes decides only what may be
 * chosen from then on, so a site keeps the policy that it has.
 */
import { type RateLimitPolicy, rateLimitPolicy } from '@sallyport/contract'
import type { Database, Transaction } from '../database/database.ts'
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

export const planActs = (database: Database): PlanActs => ({
  listPolicies: () =>
    database.readInstallation((tx) =>
      tx.query<PolicySummary>(
        `SELECT name, site, per_researcher AS "perResearcher",
           ARRAY(SELECT p.name FROM plans p WHERE r.name = ANY (p.policies) ORDER BY 1) AS plans,
           (SELECT count(*)::int FROM sites s WHERE s.rate_limit = r.name) AS sites
         FROM rate_limit_policies r ORDER BY name`,
      ),
    ),
  createPolicy: (given) =>
    putPolicy(
      database,
      given,
      `INSERT INTO rate_limit_policies (name, site, per_researcher) VALUES ($1, $2, $3)
       ON CONFLICT (name) DO NOTHING RETURNING 1`,
      (name) => `there is a policy ${name} already`,
    ),
  changePolicy: (given) =>
    putPolicy(
      database,
      given,
      'UPDATE rate_limit_policies SET site = $2, per_researcher = $3 WHERE name = $1 RETURNING 1',
      (name) => `there is no policy ${name}`,
    ),
  async removePolicy(name) {
    const uses = (await planActs(database).listPolicies()).find((policy) => policy.name === name)
    if (!uses) throw new OperatorRefusal(`there is no policy ${name}`)
    if (uses.plans.length > 0)
      throw new OperatorRefusal(`plans include the policy ${name}: ${uses.plans.join(', ')}`)
    if (uses.sites > 0) throw new OperatorRefusal(`the policy ${name} limits ${uses.sites} sites`)
    await database.writeInstallation(async (tx) => {
      const removed = await tx.query(
        `DELETE FROM rate_limit_policies
         WHERE name = $1 AND NOT EXISTS (SELECT 1 FROM plans WHERE $1 = ANY (policies)) RETURNING 1`,
        [name],
      )
      if (removed.length === 0) throw new OperatorRefusal(`a plan has come to include the policy ${name}`)
      await tellGateways(tx, name)
    })
  },
  listPlans: () =>
    database.readInstallation((tx) =>
      tx.query<PlanSummary>(
        `SELECT name, policies, (SELECT count(*)::int FROM organizations o WHERE o.plan = p.name) AS organizations
         FROM plans p ORDER BY name`,
      ),
    ),
  createPlan: (plan) =>
    putPlan(
      database,
      plan,
      'INSERT INTO plans (name, policies) VALUES ($1, $2) ON CONFLICT (name) DO NOTHING RETURNING 1',
      `there is a plan ${plan.name} already`,
    ),
  changePlan: (plan) =>
    putPlan(
      database,
      plan,
      'UPDATE plans SET policies = $2 WHERE name = $1 RETURNING 1',
      `there is no plan ${plan.name}`,
    ),
  async removePlan(name) {
    const plan = (await planActs(database).listPlans()).find((one) => one.name === name)
    if (!plan) throw new OperatorRefusal(`there is no plan ${name}`)
    if (plan.organizations > 0)
      throw new OperatorRefusal(`${plan.organizations} organizations have the plan ${name}`)
    await database.writeInstallation((tx) => tx.query('DELETE FROM plans WHERE name = $1', [name]))
  },
})

/** Runs `statement` on a policy that is valid; where it returns no row, refuses. */
async function putPolicy(
  database: Database,
  given: unknown,
  statement: string,
  refusal: (name: string) => string,
): Promise<RateLimitPolicy> {
  const parsed = rateLimitPolicy.safeParse(given)
  if (!parsed.success) {
    const faults = parsed.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`)
    throw new OperatorRefusal(`that is not a policy: ${faults.join('; ')}`)
  }
  const { name, site, perResearcher } = parsed.data
  const values = [name, JSON.stringify(site), perResearcher && JSON.stringify(perResearcher)]
  await database.writeInstallation(async (tx) => {
    const rows = await tx.query(statement, values)
    if (rows.length === 0) throw new OperatorRefusal(refusal(name))
    await tellGateways(tx, name)
  })
  return parsed.data
}

async function putPlan(database: Database, plan: Plan, statement: string, refusal: string): Promise<Plan> {
  const { name, policies } = plan
  if (!NAME.test(name))
    throw new OperatorRefusal('the name of a plan is made of lower-case letters, digits and hyphens')
  await database.writeInstallation(async (tx) => {
    const rows = await tx.query<{ name: string }>('SELECT name FROM rate_limit_policies ORDER BY name')
    const known = rows.map((row) => row.name)
    const unknown = policies.filter((policy) => !known.includes(policy))
    if (unknown.length > 0)
      throw new OperatorRefusal(`there is no policy ${unknown.join(', ')}; there are ${known.join(', ')}`)
    if ((await tx.query(statement, [name, policies])).length === 0) throw new OperatorRefusal(refusal)
  })
  return plan
}

const tellGateways = (tx: Transaction, name: string): Promise<unknown> =>
  tx.query("SELECT record_installation_change('policy', $1)", [name])
