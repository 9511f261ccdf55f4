/**
 * Where an application sends a browser to sign in, it says in the query where to come back to: `redirect_uri` (RFC 6749, section
 * 4.1.1) and `post_logout_redirect_uri` (OpenID Connect RP-Initiated Logout, section 2). An identity provider compares it with
 * what was registered, which is the name of the origin, and the browser is to come back to the gated one. So between the sites
 * of a group these two are translated, each way, where the whole host is that of a site of the group; all else of a target is
 * forwarded as it was sent.
 */
import type { SiteHost } from '@sallyport/contract'
import {
  type GatedAddress,
  gatedAuthorityOf,
  namesOf,
  originAuthority,
  siteAtGated,
  siteOfGated,
  siteOfOrigin,
  type TranslatedNames,
} from './host-rewriting.ts'
import { staysOnHost } from './named-hosts.ts'

/** The parameter, scheme, colon and slashes in the spelling of their own, authority; what follows ends the authority. */
const REDIRECT_URI =
  /([?&](?:post_logout_)?redirect_uri=)(https?)(:|%3a)(\/\/|%2f%2f)([a-z0-9.-]{1,253}|(?:\[|%5b)(?:[0-9a-f.:]|%3a){2,120}(?:\]|%5d))(?:(?::|%3a)(\d{1,5}))?(?=$|[/?#&]|%2f|%3f|%23)/gi
const MENTIONED = /redirect_uri=http/i

/** A target with the origins' names in what it says of where to come back to. A site in no group has it byte for byte. */
export function toOriginTarget(target: string, request: GatedAddress, site: TranslatedNames): string {
  if (!site.group || !MENTIONED.test(target)) return target
  const names = namesOf(request, site)
  const scheme = request.secure ? 'https' : 'http'
  return translate(target, (given, authority) => {
    const named = given === scheme ? siteAtGated(authority, request, names) : undefined
    if (!named || (site.keepsGatedHost && named.gatedName === request.host)) return undefined
    return { scheme: named.origin.scheme, authority: originAuthority(named.origin) }
  })
}

/** The same of a URL of an answer that is gated itself: where it leads to the group, the names in its query are gated, too. */
export function toGatedQuery(url: string, request: GatedAddress, site: TranslatedNames): string {
  if (!site.group || !MENTIONED.test(url)) return url
  const names = namesOf(request, site)
  if (!staysOnHost(url) && !siteOfGated(url, request, names)) return url
  return translate(url, (scheme, authority) => {
    const named: SiteHost | undefined = siteOfOrigin(authority, scheme, names)
    return named && { scheme: request.secure ? 'https' : 'http', authority: gatedAuthorityOf(named, request) }
  })
}

interface Base {
  readonly scheme: string
  readonly authority: string
}

function translate(
  text: string,
  translated: (scheme: string, authority: string) => Base | undefined,
): string {
  // Of a path rules were judged as it was sent.
  const queryStart = text.indexOf('?')
  if (queryStart < 0) return text
  const query = text
    .slice(queryStart)
    .replace(
      REDIRECT_URI,
      (
        whole,
        parameter: string,
        scheme: string,
        colon: string,
        slashes: string,
        host: string,
        port?: string,
      ) => {
        const plain = host.toLowerCase().replace('%5b', '[').replace('%5d', ']').replaceAll('%3a', ':')
        const base = translated(scheme.toLowerCase(), port === undefined ? plain : `${plain}:${port}`)
        if (!base) return whole
        const authority = colon === ':' ? base.authority : encodeURIComponent(base.authority)
        return `${parameter}${base.scheme}${colon}${slashes}${authority}`
      },
    )
  return text.slice(0, queryStart) + query
}
