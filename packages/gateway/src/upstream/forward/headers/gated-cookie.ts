/**
 * Cookies of an origin, as they may reach a browser: never for more than their own gated name, or that of the group of the
 * site, which is one application on several hosts.
 *
 * A browser lets a host set cookies for the domains above it, and all gated names have one above them. So a `Domain` is not
 * translated where it is recognized and passed otherwise: it is taken out in every spelling that any client could read as one,
 * and the last of them, which is the one that counts (RFC 6265, section 5.3), is said again in the one safe way.
 */
import type { SiteGroupConfig } from '@sallyport/contract'
import { isWildcardHost } from '@sallyport/policy'
import { isGateCookie } from '../../../credentials/cookies.ts'
import type { TranslatedNames } from './host-rewriting.ts'

/** The letters of `domain` in their order and no others, whatever stands between them. */
const NAME = `[^a-z;]*${[...'domain'].join('[^a-z;=]*')}[^a-z;=]*`
const HAS_DOMAIN = new RegExp(`;${NAME}(?:[;=]|$)`, 'i')
const DOMAIN = new RegExp(`^${NAME}(?:=(.*))?$`, 'is')

/** Letters, digits and hyphens alone, so that no client reads another name out of it. */
const PLAIN_DOMAIN = /^\.?([a-z0-9-]+(?:\.[a-z0-9-]+)*)$/i

/**
 * Translates a `Set-Cookie` value; null where the cookie must not pass, because it is named like one of the gate's. A
 * `Domain` that covers the origin or the gated name becomes the gated name, and that of the group where it covers the origins
 * of all its sites. One that covers neither stays for the browser to refuse, as it would at the origin. One that is no plain
 * name goes, which leaves the cookie to its host alone.
 */
export function toGatedCookie(value: string, gatedName: string, site: TranslatedNames): string | null {
  if (isGateCookie(value)) return null
  if (!HAS_DOMAIN.test(value)) return value
  const parts = value.split(';')
  const last = parts.findLastIndex(isDomain)
  const said = domainOf(parts[last] ?? '', gatedName, site)
  return parts
    .flatMap((part, index) => (index === last ? said : isDomain(part, index) ? [] : [part]))
    .join(';')
}

const isDomain = (part: string, index: number): boolean => index > 0 && DOMAIN.test(part)

/** The attribute to be sent instead, if any. */
function domainOf(part: string, gatedName: string, { origin, group }: TranslatedNames): string[] {
  const written = DOMAIN.exec(part)?.[1]?.trim() ?? ''
  const domain = PLAIN_DOMAIN.exec(written)?.[1]?.toLowerCase()
  if (domain === undefined) return []
  const isCovering = covers(domain, origin.host) || covers(domain, gatedName)
  if (!isCovering) return [` Domain=${written}`]
  return [` Domain=${group && isOfGroup(domain, group) ? group.gatedName : gatedName}`]
}

/** Like those under which people register names. A browser takes no cookie for one of a list that the gate does not have. */
const REGISTRY = /^(?:[^.]+|(?:ac|co|com|edu|go|gov|ne|net|or|org)\.[a-z]{2})$/

/** Whether each host of a group would get a cookie for a domain from its own origin. */
const isOfGroup = (domain: string, { gatedName, sites }: SiteGroupConfig): boolean =>
  domain === gatedName ||
  (!REGISTRY.test(domain) &&
    (sites.length > 1 || sites.some(({ origin }) => isWildcardHost(origin.host))) &&
    sites.every(({ origin }) => covers(domain, origin.host)))

const covers = (domain: string, host: string): boolean => host === domain || host.endsWith(`.${domain}`)
