import type { GateSite } from '@sallyport/contract'
import { isWildcardHost } from '@sallyport/policy'

const LABEL = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/

/** Whether a site is many hosts, one for each label in place of the `*`. */
export const isManyHosts = ({ gatedName }: GateSite): boolean => isWildcardHost(gatedName)

/** A host of such a site; undefined where the label is none. */
export function hostOfSite(site: GateSite, label: string): GateSite | undefined {
  const lower = label.trim().toLowerCase()
  if (!LABEL.test(lower)) return undefined
  return {
    ...site,
    gatedName: site.gatedName.replace('*', lower),
    url: site.url.replace('*', lower),
  }
}

/** The site at a host with its port, as the browser names it: one of that name before one of many hosts. */
export function siteAt(sites: readonly GateSite[], host: string): GateSite | undefined {
  const exact = sites.find(({ url }) => hostOf(url) === host)
  if (exact) return exact
  const [label = ''] = host.split('.', 1)
  for (const site of sites.filter(isManyHosts)) {
    const one = hostOfSite(site, label)
    if (one && hostOf(one.url) === host) return one
  }
  return undefined
}

/** Browsers disagree on what a `*` in a URL becomes, so it is not parsed. */
const hostOf = (url: string): string => url.slice(url.indexOf('//') + 2)
