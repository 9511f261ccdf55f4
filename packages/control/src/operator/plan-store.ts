/** SQL of rate-limit policies and of the plans that include them. */
import type { RateLimitPolicy } from '@sallyport/contract'
import type { Transaction } from '../database/database.ts'

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

const POLICY = 'SELECT name, site, per_researcher AS "perResearcher"'

export const listPolicies = (tx: Transaction): Promise<PolicySummary[]> =>
  tx.query<PolicySummary>(
    `${POLICY},
       ARRAY(SELECT p.name FROM plans p WHERE r.name = ANY (p.policies) ORDER BY 1) AS plans,
       (SELECT count(*)::int FROM sites s WHERE s.rate_limit = r.name) AS sites
     FROM rate_limit_policies r ORDER BY name`,
  )

export const listPolicyNames = async (tx: Transaction): Promise<string[]> =>
  (await tx.query<{ name: string }>('SELECT name FROM rate_limit_policies ORDER BY name')).map(
    ({ name }) => name,
  )

export const lockPolicy = async (tx: Transaction, name: string): Promise<RateLimitPolicy | undefined> =>
  (
    await tx.query<RateLimitPolicy>(`${POLICY} FROM rate_limit_policies WHERE name = $1 FOR UPDATE`, [name])
  )[0]

const policyValues = ({ name, site, perResearcher }: RateLimitPolicy): unknown[] => [
  name,
  JSON.stringify(site),
  perResearcher && JSON.stringify(perResearcher),
]

/** False where there is one with this name. */
export const insertPolicy = async (tx: Transaction, policy: RateLimitPolicy): Promise<boolean> =>
  (
    await tx.query(
      `INSERT INTO rate_limit_policies (name, site, per_researcher) VALUES ($1, $2, $3)
       ON CONFLICT (name) DO NOTHING RETURNING 1`,
      policyValues(policy),
    )
  ).length > 0

export const updatePolicy = (tx: Transaction, policy: RateLimitPolicy): Promise<unknown> =>
  tx.query(
    'UPDATE rate_limit_policies SET site = $2, per_researcher = $3 WHERE name = $1',
    policyValues(policy),
  )

/** False where a plan includes it. */
export const deletePolicy = async (tx: Transaction, name: string): Promise<boolean> =>
  (
    await tx.query(
      `DELETE FROM rate_limit_policies
       WHERE name = $1 AND NOT EXISTS (SELECT 1 FROM plans WHERE $1 = ANY (policies)) RETURNING 1`,
      [name],
    )
  ).length > 0

export const listPlans = (tx: Transaction): Promise<PlanSummary[]> =>
  tx.query<PlanSummary>(
    `SELECT name, policies, (SELECT count(*)::int FROM organizations o WHERE o.plan = p.name) AS organizations
     FROM plans p ORDER BY name`,
  )

export const lockPlan = async (tx: Transaction, name: string): Promise<Plan | undefined> =>
  (await tx.query<Plan>('SELECT name, policies FROM plans WHERE name = $1 FOR UPDATE', [name]))[0]

/** False where there is one with this name. */
export const insertPlan = async (tx: Transaction, { name, policies }: Plan): Promise<boolean> =>
  (
    await tx.query(
      'INSERT INTO plans (name, policies) VALUES ($1, $2) ON CONFLICT (name) DO NOTHING RETURNING 1',
      [name, policies],
    )
  ).length > 0

export const updatePlan = (tx: Transaction, { name, policies }: Plan): Promise<unknown> =>
  tx.query('UPDATE plans SET policies = $2 WHERE name = $1', [name, policies])

export const deletePlan = (tx: Transaction, name: string): Promise<unknown> =>
  tx.query('DELETE FROM plans WHERE name = $1', [name])

export const listPlanNames = async (tx: Transaction): Promise<string[]> =>
  (await tx.query<{ name: string }>('SELECT name FROM plans ORDER BY name')).map(({ name }) => name)
