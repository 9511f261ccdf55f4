/** Sites by the names that callers give them: the gated name, the label of one, or, in a summary, a URL. */
import { BadParameter } from '../../http/request/window.ts'
import type { UrlFilter } from './store/summary.ts'

/** A site as it is found by its names. */
export interface SiteNames {
  readonly id: string
  readonly gatedName: string
  readonly originName: string
}

/**
 * Sites by their gated names; a name without the gate domain is the label of one. Throws `BadParameter` for a name that no
 * site of the organization has: a count of nothing would look like a site that nobody tests.
 */
export function findNamedSites(
  names: readonly string[],
  sites: readonly SiteNames[],
  {
    gateDomain,
    parameterOf,
  }: { readonly gateDomain: string; readonly parameterOf: (index: number) => string },
): SiteNames[] {
  const found = names.flatMap((given, index) => {
    const name = bareName(given).toLowerCase()
    const named = sites.find((site) => hasGatedName(site, name, gateDomain))
    if (!named) throw new BadParameter(parameterOf(index), 'is not the gated name of a site')
    return named
  })
  return [...new Set(found)]
}

/** The id of the site with this gated name, or the label of one. Throws `BadParameter`. */
export function siteNamed(name: string, sites: readonly SiteNames[], gateDomain: string): string {
  const site = sites.find((one) => hasGatedName(one, bareName(name).toLowerCase(), gateDomain))
  if (!site) throw new BadParameter('url', 'is not the gated name of a site')
  return site.id
}

const hasGatedName = ({ gatedName }: SiteNames, name: string, gateDomain: string): boolean =>
  gatedName === name || gatedName === `${name}.${gateDomain}`

/**
 * Reads the `urls` of a summary: a gated name, an origin name, or either with a path, with or without a scheme. A name
 * that no site has still selects what was recorded under it as a host, such as that of a deleted site.
 */
export function findUrls(
  urls: readonly string[],
  sites: readonly SiteNames[],
  gateDomain: string,
): UrlFilter[] {
  return urls.map((url) => {
    const bare = bareName(url)
    const slash = bare.indexOf('/')
    const name = (slash === -1 ? bare : bare.slice(0, slash)).toLowerCase()
    const routePrefix = slash === -1 ? '' : bare.slice(slash)
    const named = sites.filter(
      (site) => hasGatedName(site, name, gateDomain) || bareName(site.originName).toLowerCase() === name,
    )
    return {
      siteIds: named.map((site) => site.id),
      hosts: [name],
      routePrefix: routePrefix === '/' ? '' : routePrefix,
    }
  })
}

const bareName = (url: string): string =>
  url
    .trim()
    .replace(/^https?:\/\//i, '')
    .replace(/\/$/, '')
