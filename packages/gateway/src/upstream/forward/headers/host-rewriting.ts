/**
 * The two names of a site: the origin's, and the gated one that researchers use. Applications put their own name into
 * redirects and cross-origin headers, so these are translated, and only where the name is exactly the site's.
 */
import type { OriginConfig } from '@sallyport/contract'
import type { ReceivedRequest } from '../../../exchange/exchange.ts'

/** How a client named the site. */
type GatedAddress = Pick<ReceivedRequest, 'secure' | 'host' | 'hostPort'>

const defaultPort = (scheme: string): number => (scheme === 'https' ? 443 : 80)

/** `host` or `host:port`, IPv6 literals in brackets, as it stands in the Host header of a request to the origin. */
export function originAuthority(origin: OriginConfig): string {
  const host = origin.host.includes(':') ? `[${origin.host}]` : origin.host
  return origin.port === defaultPort(origin.scheme) ? host : `${host}:${origin.port}`
}

/** `scheme://authority` of the origin. */
export const originBase = (origin: OriginConfig): string => `${origin.scheme}://${originAuthority(origin)}`

/** `scheme://authority` under which this client sees the site. */
export const gatedBase = (request: GatedAddress): string =>
  `${request.secure ? 'https' : 'http'}://${request.host}${request.hostPort === '' ? '' : `:${request.hostPort}`}`

/** `Origin` or `Referer` of a request: the gated base replaced by the origin's, anything else as it is. */
export function toOriginUrl(value: string, request: GatedAddress, origin: OriginConfig): string {
  const base = gatedBase(request)
  if (!startsWithBase(value, base)) return value
  return originBase(origin) + value.slice(base.length)
}

/**
 * The `Destination` of a WebDAV request (RFC 4918, section 10.3): a path, or a URL of the gated name or of the origin's, which
 * becomes the origin's. Null for one that leads elsewhere, or of which that is not certain: nginx takes for the path what begins
 * at the first slash after the host, even where a `?` or a `#` stands between them.
 */
export function toOriginDestination(
  value: string,
  request: GatedAddress,
  origin: OriginConfig,
): string | null {
  const url = toOriginUrl(value, request, origin)
  const base = originBase(origin)
  const isCertain = startsWithBase(url, base)
    ? url.length === base.length || url[base.length] === '/'
    : /^\/(?![/\\])/.test(url)
  return isCertain ? url : null
}

/**
 * A URL in an answer (`Location` and its kin): the origin's base replaced by the gated one, also where it has the other
 * scheme (an origin behind a TLS terminator says `http:`) or none (`//host/…`). Relative and foreign ones as they are.
 */
export function toGatedUrl(value: string, request: GatedAddress, origin: OriginConfig): string {
  const match = ABSOLUTE.exec(value)
  if (!match) return value
  const [whole, scheme = '', authority = ''] = match
  if (!isAuthorityOf(authority, scheme.toLowerCase(), origin)) return value
  return gatedBase(request) + value.slice(whole.length)
}

const ABSOLUTE = /^(?:(https?):)?\/\/([^/?#\\]*)/i

function isAuthorityOf(authority: string, scheme: string, origin: OriginConfig): boolean {
  const lower = authority.toLowerCase()
  const own = originAuthority(origin)
  if (lower === own) return true
  const host = origin.host.includes(':') ? `[${origin.host}]` : origin.host
  if (scheme === '' || lower === `${host}:${origin.port}`) return lower === `${host}:${origin.port}`
  return lower === host && (origin.port === defaultPort(origin.scheme) || origin.port === defaultPort(scheme))
}

function startsWithBase(value: string, base: string): boolean {
  if (value.length < base.length || value.slice(0, base.length).toLowerCase() !== base) return false
  const next = value[base.length]
  return next === undefined || next === '/' || next === '?' || next === '#'
}
