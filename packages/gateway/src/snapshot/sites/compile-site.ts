/**
 * A site as requests need it. That of a wildcard is many hosts: what a request meets is the host that it names, as a site with
 * the names of that host and everything else of the wildcard's.
 */
import type { SiteConfig } from '@sallyport/contract'
import { hostAtGatedName, isWildcardHost } from '@sallyport/policy'
import { BoundedCache } from '@sallyport/toolbox'
import type { CompiledSite } from '../snapshot.ts'
import { compileSiteRoutes } from './site-routes.ts'

/** Hosts of one wildcard that are kept: anybody may ask for any. */
const HOSTS_MAX = 1_024

/** Its list is indexed when it is first asked, so that an unused one costs nothing. */
export function compileSite(config: SiteConfig): CompiledSite {
  let listed: ReadonlySet<string> | undefined
  return {
    config,
    lists(researcherId) {
      listed ??= new Set(config.researcherIds)
      return listed.has(researcherId)
    },
    templateOf: compileSiteRoutes(config.routes),
  }
}

const hostsOf = new WeakMap<CompiledSite, BoundedCache<string, CompiledSite>>()

/** The host of a wildcard with a gated name; undefined where it stands for none. The same object for as long as it is kept. */
export function hostOfWildcard(wildcard: CompiledSite, gatedName: string): CompiledSite | undefined {
  const hosts = hostsOf.get(wildcard) ?? new BoundedCache<string, CompiledSite>(HOSTS_MAX)
  hostsOf.set(wildcard, hosts)
  const known = hosts.get(gatedName)
  if (known) return known
  const { config } = wildcard
  const host = isWildcardHost(config.gatedName) && hostAtGatedName(config.group?.sites ?? [], gatedName)
  if (!host) return undefined
  const lists = (researcherId: string): boolean => wildcard.lists(researcherId)
  const { templateOf } = wildcard
  return hosts.set(gatedName, { config: { ...config, ...host }, lists, templateOf, wildcard })
}
