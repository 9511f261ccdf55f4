/** What the researcher's page shows of one site: what may be tested, and what is left of the limits. */
import type { LimiterSettings, RateLimitPolicy } from '@sallyport/contract'
import type {
  ResearcherConfig,
  ResearcherPageBudget,
  ResearcherPageLimit,
  ResearcherPageScope,
} from '@sallyport/contract/words'
import { isInForce, limiterKindOf } from '@sallyport/policy'
import type { Exchange } from '../exchange/exchange.ts'
import type { CompiledSite } from '../snapshot/snapshot.ts'

interface LeftOfLimit {
  readonly remaining: number
  readonly resetMs: number
}
interface LeftOfPolicy {
  readonly site: LeftOfLimit
  /** Undefined where the policy has no share for each researcher. */
  readonly researcher: LeftOfLimit | undefined
}

/** Where the limits of a researcher are looked up. */
export interface BudgetSources {
  /** How many requests of a researcher run now, and how many may. */
  readonly running: (researcherId: string) => number
  readonly runningMax: number
  /** What is left of the limits of a policy. */
  readonly left: (
    siteId: string,
    researcherId: string,
    policy: RateLimitPolicy,
  ) => LeftOfPolicy | Promise<LeftOfPolicy>
}

/** What may be tested on a site, and what not. */
export const describeScope = ({ config }: CompiledSite): ResearcherPageScope => ({
  instructions: config.instructions,
  startsAt: config.startsAt,
  stopsAt: config.stopsAt,
  blocked: config.blockRules
    .filter((rule) => isInForce(rule, Date.now()))
    .map(({ id, pathPrefix, methods, note = '' }) => ({ id, pathPrefix, methods, note })),
  refusesAmbiguousTargets: config.refuseAmbiguousTargets,
  firewall: config.firewall.mode,
  hasCredentials: config.hasCredentials,
  acceptsKeyAsPassword: config.acceptsKeyAsPassword ?? false,
})

/** What is left of the limits that hold for a researcher on a site. Looking uses up none of it. */
export async function describeBudget(
  { snapshot }: Exchange,
  { config }: CompiledSite,
  researcher: ResearcherConfig,
  { running, runningMax, left: leftOf }: BudgetSources,
): Promise<ResearcherPageBudget> {
  const policy = snapshot.policy(config.rateLimit)
  const limits: ResearcherPageLimit[] = []
  if (policy) {
    const left = await leftOf(config.id, researcher.id, policy)
    if (policy.perResearcher && left.researcher)
      limits.push(limitOf(policy.name, 'researcher', policy.perResearcher, left.researcher))
    limits.push(limitOf(policy.name, 'site', policy.site, left.site))
  }
  return { limits, running: running(researcher.id), runningMax }
}

const limitOf = (
  policy: string,
  applies: ResearcherPageLimit['applies'],
  settings: LimiterSettings,
  left: LeftOfLimit,
): ResearcherPageLimit => ({
  policy,
  applies,
  kind: settings.kind,
  limit: settings.limit,
  windowMs: limiterKindOf(settings).windowMs(settings),
  remaining: Math.max(0, left.remaining),
  resetMs: Math.ceil(left.resetMs),
})
