/** How much of their limits a researcher has used, as far as the record says. */
import { type HackerBudget, type LimiterSettings, onlyValue, type RateLimitPolicy } from '@sallyport/contract'
import { isSiteOpen } from '@sallyport/policy'
import type { Database } from '../../../database/database.ts'
import { notFound } from '../../../errors.ts'
import { bindDependencies } from '../../../http/bind-dependencies.ts'
import { requireId } from '../../../http/rows.ts'
import type { TrafficStore } from '../../../traffic-store/connection.ts'
import { DAY_MS } from '../query/time-segments.ts'
import { activity } from '../store/activity.ts'
import { isResearcher, type LimitedSite, listLimitedSites, listPlanPolicies } from './budget-store.ts'

export interface BudgetDeps {
  readonly database: Pick<Database, 'read'>
  readonly store: TrafficStore
  readonly now?: () => number
}

/** What used something up: limits and block rules refuse before anything is counted. */
const USED = ['!limit', '!block']

/** Throws a 404 for a researcher whom the organization does not have. */
async function get(
  { database, store, now = Date.now }: BudgetDeps,
  orgId: string,
  hacker: string,
): Promise<HackerBudget> {
  requireId(hacker)
  const [isKnown, limited, policies] = await database.read(orgId, (tx) =>
    Promise.all([isResearcher(tx, orgId, hacker), listLimitedSites(tx, orgId), listPlanPolicies(tx, orgId)]),
  )
  if (!isKnown) throw notFound()
  const instant = now()
  const byName = new Map(policies.map((policy) => [policy.name, policy]))
  const open = limited
    .filter((site) => isOpenAt(site, instant))
    .flatMap((site) => {
      const policy = byName.get(site.rate_limit)
      return policy ? [{ site, policy }] : []
    })
  const startOf = ({ perResearcher }: RateLimitPolicy) => windowStart(perResearcher, instant)
  const starts = new Set(open.flatMap(({ policy }) => startOf(policy) ?? []))
  const countSince = async (from: number, outcome: readonly string[]) => {
    const scope = {
      orgId,
      from,
      to: Number.POSITIVE_INFINITY,
      filter: { hacker: [onlyValue(hacker)], outcome },
    }
    const rows = await activity(store, scope, 'site')
    return new Map(rows.map(({ value, requests }) => [value, requests]))
  }
  const [refused, ...used] = await Promise.all([
    countSince(instant - DAY_MS, ['limit']),
    ...[...starts].map(async (start) => [start, await countSince(start, USED)] as const),
  ])
  const usedSince = new Map(used)
  return {
    policies: policies.filter(({ name }) => open.some(({ policy }) => policy.name === name)),
    sites: open.map(({ site, policy }) => {
      const start = startOf(policy)
      return {
        site: { id: site.id, name: site.gated_name },
        policy: policy.name,
        used: start === null ? null : (usedSince.get(start)?.get(site.id) ?? 0),
        refused: refused.get(site.id) ?? 0,
      }
    }),
  }
}

/** The operation on a researcher's budget. */
export const createBudgetService = (deps: BudgetDeps) => bindDependencies(deps, { get })

export type BudgetService = ReturnType<typeof createBudgetService>

const isOpenAt = ({ is_enabled, starts_at, stops_at }: LimitedSite, now: number): boolean =>
  isSiteOpen({ enabled: is_enabled, startsAt: Date.parse(starts_at), stopsAt: Date.parse(stops_at) }, now)

/**
 * Since when a limiter counts: the last so many milliseconds, or since the clock last was at a multiple of them. Null for the other kinds,
 * of which what is left depends on more than the record says.
 */
function windowStart(limiter: LimiterSettings | null, now: number): number | null {
  if (limiter?.kind === 'fixed') return now - (now % limiter.windowMs)
  return limiter?.kind === 'sliding' ? now - limiter.windowMs : null
}
