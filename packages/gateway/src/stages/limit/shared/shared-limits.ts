/** The limits of a request as Valkey knows them. */
import type { LimiterSettings, RateLimitPolicy } from '@sallyport/contract'
import { limiterKindOf } from '@sallyport/policy'
import { perObject } from '@sallyport/toolbox'

export interface SharedLimit {
  readonly key: string
  readonly settings: LimiterSettings
  /** What scripts are told of it. */
  readonly parameters: readonly string[]
}

/** The limits of a policy for a researcher on a site: the site's first, then the researcher's share where there is one. */
export function limitsOf(siteId: string, researcherId: string, policy: RateLimitPolicy): SharedLimit[] {
  const limits = [limitAt(siteId, policy.name, 'site:', policy.site)]
  const { perResearcher } = policy
  if (perResearcher) limits.push(limitAt(siteId, policy.name, `researcher:${researcherId}`, perResearcher))
  return limits
}

/** All keys of a site share a hash tag, so that a server of several shards keeps them on one. A changed policy begins anew. */
function limitAt(siteId: string, policy: string, whose: string, settings: LimiterSettings): SharedLimit {
  const parameters = parametersOf(settings)
  const key = `sallyport:limit:{${siteId}}:${policy}:${parameters.join('-')}:${whose}`
  return { key, settings, parameters }
}

const parametersOf = perObject((settings: LimiterSettings): readonly string[] => {
  const kind = limiterKindOf(settings)
  return [settings.kind, settings.limit, kind.windowMs(settings) ?? 0, kind.scriptNumber(settings)].map(
    String,
  )
})

/** The policy of each of several gateways that cannot ask Valkey: with its part of each limit. */
export const createPolicyParts = (): ((policy: RateLimitPolicy, gateways: number) => RateLimitPolicy) => {
  const byCount = perObject((_policy: RateLimitPolicy) => new Map<number, RateLimitPolicy>())
  return (policy, gateways) => {
    const parts = byCount(policy)
    const known = parts.get(gateways)
    if (known) return known
    const { name, site, perResearcher } = policy
    const part = {
      name,
      site: partOf(site, gateways),
      perResearcher: perResearcher && partOf(perResearcher, gateways),
    }
    parts.set(gateways, part)
    return part
  }
}

const partOf = (settings: LimiterSettings, parts: number): LimiterSettings =>
  limiterKindOf(settings).partOf(settings, parts)
