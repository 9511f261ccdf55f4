/**
 * A wildcard among the sites of a group: an origin `*.example.com`, published as `*.shop.gate.example`, stands for every host of
 * one label in place of the `*`. What a host that it stands for is called on either side is worked out here alone, so that the
 * name by which a request is admitted and the names that are translated cannot differ.
 */
import type { SiteHost } from '@sallyport/contract'

const WILDCARD = '*.'
/** As host names have it (RFC 1123, section 2.1); none that begins like an encoding (RFC 5890, section 2.3.1), as in gated names. */
const LABEL = /^(?!..--)[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/
const HOST_CHARS_MAX = 253

/** Whether a name, of an origin or gated, stands for many. */
export const isWildcardHost = (name: string): boolean => name.startsWith(WILDCARD)

/** The wildcard's name in place of the first label of another; the name itself where it has one label. */
export const wildcardAbove = (name: string): string => name.replace(/^[^.]*(?=\.)/, '*')

/**
 * The host with a gated name, where a wildcard of the group stands for it; undefined where none does, and where another site of
 * the group has the gated name or the host of the origin: such a host is under its own rules, and reached in no other way.
 */
export const hostAtGatedName = (sites: readonly SiteHost[], gatedName: string): SiteHost | undefined =>
  findHost(sites, gatedName, (site) => site.gatedName)

/** The same by the host of the origin, in lower case and whatever its port. */
export const hostAtOrigin = (sites: readonly SiteHost[], host: string): SiteHost | undefined =>
  findHost(sites, host, ({ origin }) => origin.host)

function findHost(
  sites: readonly SiteHost[],
  name: string,
  nameOf: (site: SiteHost) => string,
): SiteHost | undefined {
  for (const site of sites) {
    if (!isWildcardHost(site.gatedName) || !isWildcardHost(site.origin.host)) continue
    const suffix = nameOf(site).slice(1)
    const label = name.endsWith(suffix) ? name.slice(0, -suffix.length) : ''
    const host = LABEL.test(label) ? hostOfLabel(site, label) : undefined
    if (host && !sites.some((other) => isNamed(other, host))) return host
  }
  return undefined
}

function hostOfLabel({ gatedName, origin }: SiteHost, label: string): SiteHost | undefined {
  const [gated, host] = [label + gatedName.slice(1), label + origin.host.slice(1)]
  if (gated.length > HOST_CHARS_MAX || host.length > HOST_CHARS_MAX) return undefined
  return { gatedName: gated, origin: { ...origin, host } }
}

const isNamed = (site: SiteHost, host: SiteHost): boolean =>
  site.gatedName === host.gatedName || site.origin.host === host.origin.host
