/**
 * The two names of a site: the origin's, and the gated one that researchers use. Applications put their own name into
 * redirects and cross-origin headers, so these are translated, and only where the name is exactly the site's, or that of
 * another site of its group. An origin that is told the gated name (`keepsGatedHost`) knows itself under that one, so that
 * requests keep it.
 */
import type { OriginConfig, SiteConfig, SiteHost } from '@sallyport/contract'
import { hostAtGatedName, hostAtOrigin } from '@sallyport/policy'
import { gatedAuthority, type ReceivedRequest, type SitePeer } from '../../../exchange/exchange.ts'

/** What is known of a site's names, of those of its group, and where they are translated. */
export type TranslatedNames = Pick<SiteConfig, 'origin' | 'keepsGatedHost' | 'group' | 'rewritesBodies'>

/** How a client named the site. */
export type GatedAddress = Pick<ReceivedRequest, 'secure' | 'host' | 'hostPort'>

const defaultPort = (scheme: string): number => (scheme === 'https' ? 443 : 80)

/** `host` or `host:port`, IPv6 literals in brackets, as it stands in the Host header of a request to the origin. */
export function originAuthority(origin: OriginConfig): string {
  const host = bracketed(origin.host)
  return origin.port === defaultPort(origin.scheme) ? host : `${host}:${origin.port}`
}

/** `scheme://authority` of the origin. */
export const originBase = (origin: OriginConfig): string => `${origin.scheme}://${originAuthority(origin)}`

/** `scheme://authority` under which this client sees the site. */
export const gatedBase = (request: GatedAddress): string =>
  `${request.secure ? 'https' : 'http'}://${gatedAuthority(request)}`

/** The Host that the origin is told. */
export const forwardedHost = (request: GatedAddress, { origin, keepsGatedHost }: TranslatedNames): string =>
  keepsGatedHost ? gatedAuthority(request) : originAuthority(origin)

/** Under which base the origin knows itself, from the Host that it is told. */
const ownBase = (request: GatedAddress, { origin, keepsGatedHost }: TranslatedNames): string =>
  keepsGatedHost ? gatedBase(request) : originBase(origin)

/** The site that a client asked, by the name that it used, and the others of its group. */
export function namesOf({ host }: GatedAddress, site: TranslatedNames): readonly SiteHost[] {
  const { origin, group } = site
  const known = knownNames.get(site)
  if (known?.[0]?.gatedName === host) return known
  const own = { gatedName: host, origin }
  const names = group ? [own, ...group.sites.filter(({ gatedName }) => gatedName !== host)] : [own]
  knownNames.set(site, names)
  return names
}
/** The same objects are asked with for as long as a site does not change. */
const knownNames = new WeakMap<TranslatedNames, readonly SiteHost[]>()

/**
 * `Origin` or `Referer` of a request: a gated base replaced by the one that the origin knows: the site's own, that of another
 * site of its group, and that of the site whose page sends the request. Anything else as it is.
 */
export function toOriginUrl(
  value: string,
  request: GatedAddress,
  site: TranslatedNames,
  peer: SitePeer | null = null,
): string {
  if (site.keepsGatedHost) return value
  const named = siteOfGated(value, request, namesOf(request, site)) ?? peer
  return named ? replaceBase(value, gatedBaseOf(named, request), originBase(named.origin)) : value
}

/** Name and port under which this client sees a site. */
export const gatedAuthorityOf = ({ gatedName }: SiteHost, { hostPort }: GatedAddress): string =>
  gatedAuthority({ host: gatedName, hostPort })

/** Under which base this client sees a site. */
const gatedBaseOf = ({ gatedName }: SiteHost, { secure, hostPort }: GatedAddress): string =>
  gatedBase({ secure, hostPort, host: gatedName })

/** `Access-Control-Allow-Origin` of an answer: the web origin of the site, of its group, or of the one whose page asked, becomes gated. */
export function toGatedOrigin(
  value: string,
  request: GatedAddress,
  site: TranslatedNames,
  peer: SitePeer | null,
): string {
  return peer && !site.keepsGatedHost && value.toLowerCase() === originBase(peer.origin)
    ? gatedBaseOf(peer, request)
    : toGatedUrl(value, request, site)
}

const replaceBase = (value: string, base: string, other: string): string =>
  startsWithBase(value, base) ? other + value.slice(base.length) : value

/**
 * The `Destination` of a WebDAV request (RFC 4918, section 10.3): a path, or a URL of the gated name or of the origin's, which
 * becomes the one that the origin knows. Null for one that leads elsewhere, or of which that is not certain: nginx takes for the path what begins
 * at the first slash after the host, even where a `?` or a `#` stands between them.
 */
export function toOriginDestination(
  value: string,
  request: GatedAddress,
  site: TranslatedNames,
): string | null {
  const base = ownBase(request, site)
  const url = replaceBase(replaceBase(value, gatedBase(request), base), originBase(site.origin), base)
  const isCertain = startsWithBase(url, base)
    ? url.length === base.length || url[base.length] === '/'
    : /^\/(?![/\\])/.test(url)
  return isCertain ? url : null
}

/**
 * A URL in an answer (`Location` and its kin): the base of an origin of the site, or of its group, replaced by the gated one,
 * also where it has the other scheme (an origin behind a TLS terminator says `http:`) or none (`//host/…`), and the site's own with
 * the scheme and port of the client. Relative and foreign ones as they are, and gated ones, but for an `http:` where the client came
 * by TLS: an origin that knows the gated name, as its Host or by `X-Forwarded-Host`, may not know of that.
 */
export function toGatedUrl(value: string, request: GatedAddress, site: TranslatedNames): string {
  const match = ABSOLUTE.exec(value)
  if (!match) return value
  const [whole, scheme = '', user = '', authority = ''] = match
  const names = namesOf(request, site)
  const [lowerScheme, lower] = [scheme.toLowerCase(), authority.toLowerCase()]
  const named =
    siteOfOrigin(lower, lowerScheme, names) ??
    (isOwnByTls(lower, lowerScheme, request, site.origin) ? names[0] : undefined) ??
    (request.secure && lowerScheme === 'http' ? siteAtGated(lower, request, names) : undefined)
  return named ? withUser(gatedBaseOf(named, request), user) + value.slice(whole.length) : value
}

const withUser = (base: string, user: string): string =>
  user === '' ? base : base.replace('//', () => `//${user}`)

/**
 * Scheme, user with its password and `@`, host with its port. Browsers take a backslash for a slash, any number of them from two
 * on for two, and what stands before the last `@` for a user (URL Standard, section 4.4).
 */
const ABSOLUTE = /^(?:(https?):)?[/\\]{2,}([^/?#\\]*@)?([^/?#\\]*)/i

/** The site with whose gated base a URL begins. */
export function siteOfGated(
  url: string,
  request: GatedAddress,
  names: readonly SiteHost[],
): SiteHost | undefined {
  const known = names.find((one) => isAtSite(url, one, request))
  if (known) return known
  const [, , , authority = ''] = ABSOLUTE.exec(url) ?? []
  const named = siteAtGated(authority.toLowerCase(), request, names)
  return named && isAtSite(url, named, request) ? named : undefined
}

/** The site that a client sees at an authority, in lower case. */
export function siteAtGated(
  authority: string,
  request: GatedAddress,
  names: readonly SiteHost[],
): SiteHost | undefined {
  const known = names.find((one) => gatedAuthorityOf(one, request) === authority)
  if (known) return known
  const host = hostAtGatedName(names, authority.replace(/:\d+$/, ''))
  return host && gatedAuthorityOf(host, request) === authority ? host : undefined
}

/** The name alone tells most sites of a group apart. */
const isAtSite = (url: string, one: SiteHost, request: GatedAddress): boolean =>
  beginsAfterScheme(url, one.gatedName, request) && startsWithBase(url, gatedBaseOf(one, request))

function beginsAfterScheme(url: string, name: string, { secure }: GatedAddress): boolean {
  const from = secure ? 'https://'.length : 'http://'.length
  return url.slice(from, from + name.length).toLowerCase() === name
}

/** The site at an authority, in lower case: one of just this scheme and port before one that may be meant by it. */
export const siteOfOrigin = (
  authority: string,
  scheme: string,
  names: readonly SiteHost[],
): SiteHost | undefined =>
  names.find(({ origin }) => origin.scheme === scheme && isAuthorityOf(authority, scheme, origin)) ??
  names.find(({ origin }) => isAuthorityOf(authority, scheme, origin)) ??
  ofWildcard(authority, scheme, names)

function ofWildcard(authority: string, scheme: string, names: readonly SiteHost[]): SiteHost | undefined {
  const host = hostAtOrigin(names, authority.replace(/:\d+$/, ''))
  return host && isAuthorityOf(authority, scheme, host.origin) ? host : undefined
}

/**
 * Whether an origin by `http` means itself: where it believes `X-Forwarded-Proto`, as frameworks and servlet containers do behind TLS,
 * its own host has the client's scheme, with the port of `X-Forwarded-Port` or that of the scheme.
 */
function isOwnByTls(
  authority: string,
  scheme: string,
  { secure, hostPort }: GatedAddress,
  origin: OriginConfig,
): boolean {
  const host = bracketed(origin.host)
  if (!secure || scheme !== 'https' || origin.scheme !== 'http' || !authority.startsWith(host)) return false
  return ['', ':443', `:${hostPort}`].includes(authority.slice(host.length))
}

const bracketed = (host: string): string => (host.includes(':') ? `[${host}]` : host)

function isAuthorityOf(lower: string, scheme: string, origin: OriginConfig): boolean {
  // An answer may name thousands, and a group has many sites.
  if (!lower.startsWith(origin.host) && lower[0] !== '[') return false
  const own = originAuthority(origin)
  if (lower === own) return true
  const host = bracketed(origin.host)
  if (scheme === '' || lower === `${host}:${origin.port}`) return lower === `${host}:${origin.port}`
  return lower === host && (origin.port === defaultPort(origin.scheme) || origin.port === defaultPort(scheme))
}

function startsWithBase(value: string, base: string): boolean {
  if (value.length < base.length || value.slice(0, base.length).toLowerCase() !== base) return false
  const next = value[base.length]
  return next === undefined || next === '/' || next === '?' || next === '#'
}
