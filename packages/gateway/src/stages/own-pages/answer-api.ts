/** The JSON that the researcher's page is made of; shapes and paths in the contract's `researcher-page.ts`. */
import type { LimiterSettings, RateLimitPolicy } from '@sallyport/contract'
import {
  RESEARCHER_API_PATH,
  type ResearcherConfig,
  type ResearcherPageBudget,
  type ResearcherPageCredentials,
  type ResearcherPageLimit,
  type ResearcherPageMe,
  type ResearcherPageRequests,
  type ResearcherPageScope,
} from '@sallyport/contract/words'
import { type Exchange, type Reply, refuse, type Verdict } from '../../exchange.ts'
import type { CompiledSite } from '../../snapshot/snapshot.ts'
import type { RecentRequests } from './recent-requests.ts'
import type { RevealPace } from './reveal-pace.ts'

interface LeftOfLimit {
  readonly remaining: number
  readonly resetMs: number
}
interface Left {
  readonly site: LeftOfLimit
  /** Undefined where the policy has no share for each researcher. */
  readonly researcher: LeftOfLimit | undefined
}

export interface ResearcherApiParts {
  readonly recent: RecentRequests
  /** How many requests of a researcher run now, and how many may. */
  readonly running: (researcherId: string) => number
  readonly runningMax: number
  /** What is left of the limits of a policy. */
  readonly left: (siteId: string, researcherId: string, policy: RateLimitPolicy) => Left | Promise<Left>
  /** Asks the control plane; null where the site has none or the control plane cannot say. */
  readonly revealCredentials: (exchange: Exchange) => Promise<string | null>
}

/** Answers one call of the API, for a researcher who was admitted to the site. */
export function answerApi(
  exchange: Exchange,
  site: CompiledSite,
  researcher: ResearcherConfig,
  parts: ResearcherApiParts,
  pace: RevealPace,
): Verdict | Promise<Verdict> {
  if (exchange.request.method !== 'GET') return refuse(405, 'block', 'block_rule', { rule: OWN_RULE })
  const name = (exchange.request.target.split('?', 1)[0] ?? '').slice(RESEARCHER_API_PATH.length)
  switch (name) {
    case 'me':
      return json(me(exchange, site, researcher))
    case 'scope':
      return json(scope(site))
    case 'budget':
      return budget(exchange, site, researcher, parts).then(json)
    case 'requests': {
      const items = parts.recent.list(researcher.id, site.config.id)
      return json({ items } satisfies ResearcherPageRequests)
    }
    case 'credentials':
      if (!pace.take(researcher.id, performance.now()))
        return refuse(429, 'limit', 'researcher_share', { rule: OWN_RULE, retryAfterS: 1 })
      return parts.revealCredentials(exchange).then((credentials) => {
        if (credentials === null) return refuse(404, 'block', 'block_rule', { rule: OWN_RULE })
        return { ...json({ credentials } satisfies ResearcherPageCredentials), recorded: true }
      })
  }
  const id = /^requests\/([0-9a-f-]{36})$/.exec(name)?.[1]
  const found = id && parts.recent.list(researcher.id, site.config.id).find((request) => request.id === id)
  return found ? json(found) : refuse(404, 'block', 'block_rule', { rule: OWN_RULE })
}

/** The rule that refusals under `/.sallyport/` name: it is the gate's, on every site. */
export const OWN_RULE = 'sallyport'

const json = (value: object): Reply => ({
  kind: 'reply',
  status: 200,
  headers: [
    'Content-Type',
    'application/json',
    'Cache-Control',
    'no-store',
    'X-Content-Type-Options',
    'nosniff',
  ],
  body: JSON.stringify(value),
  recorded: false,
})

const me = (exchange: Exchange, site: CompiledSite, researcher: ResearcherConfig): ResearcherPageMe => ({
  researcher: { id: researcher.id, name: researcher.name, email: researcher.email },
  organization: exchange.snapshot.organization(site.config.orgId)?.name ?? '',
  site: { id: site.config.id, gatedName: site.config.gatedName },
  expiresAt: researcher.expiresAt,
  credential: exchange.event.credential === 'session' ? 'session' : 'key',
})

const scope = ({ config }: CompiledSite): ResearcherPageScope => ({
  instructions: config.instructions,
  startsAt: config.startsAt,
  stopsAt: config.stopsAt,
  blocked: config.blockRules
    .filter((rule) => rule.enabled && (rule.expires === undefined || Date.parse(rule.expires) > Date.now()))
    .map(({ id, pathPrefix, methods, note = '' }) => ({ id, pathPrefix, methods, note })),
  refusesAmbiguousTargets: config.refuseAmbiguousTargets,
  firewall: config.firewall.mode,
  hasCredentials: config.hasCredentials,
})

async function budget(
  exchange: Exchange,
  site: CompiledSite,
  researcher: ResearcherConfig,
  { running, runningMax, left: leftOf }: ResearcherApiParts,
): Promise<ResearcherPageBudget> {
  const policy = exchange.snapshot.policy(site.config.rateLimit)
  const limits: ResearcherPageLimit[] = []
  if (policy) {
    const left = await leftOf(site.config.id, researcher.id, policy)
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
  windowMs: settings.kind === 'concurrency' ? null : settings.windowMs,
  remaining: Math.max(0, left.remaining),
  resetMs: Math.ceil(left.resetMs),
})
