/**
 * `Content-Security-Policy`, which names hosts (CSP Level 3, section 2.3.1): a source that is the origin of the site, or of its
 * group, becomes the gated name, so that a page may do at the gate what it may do without it. A wildcard stays for what is not
 * behind the gate, and the gated names of the hosts that it covers are added.
 */
import type { SiteHost } from '@sallyport/contract'
import { hostAtOrigin } from '@sallyport/policy'
import { type GatedAddress, gatedAuthorityOf, namesOf, type TranslatedNames } from './host-rewriting.ts'

const SOURCE =
  /^(?:(https?|wss?):\/\/)?(\*\.)?([a-z0-9-]+(?:\.[a-z0-9-]+)*|\[[0-9a-f:.]+\])(?::(\d{1,5}|\*))?(\/.*)?$/i
/** One header may name a wildcard thousands of times, and a group has many hosts. */
const ADDED_CHARS_MAX = 16 * 1024

/** The value of the header, with gated names. */
export function toGatedPolicy(value: string, request: GatedAddress, site: TranslatedNames): string {
  const names = namesOf(request, site)
  let left = ADDED_CHARS_MAX
  const mapped = (token: string): string => {
    const sources = sourcesOf(token, names, request)
    const text = sources.join(' ')
    if (sources.length === 0 || text.length - token.length > left) return token
    left -= Math.max(0, text.length - token.length)
    return text
  }
  return value
    .split(/([;,])/)
    .map((directive) => {
      let isName = true
      return directive.replace(/[^\t\n\f\r ]+/g, (token) => {
        if (isName) {
          isName = false
          return token
        }
        return mapped(token)
      })
    })
    .join('')
}

/** What stands for a source at the gate; nothing where it means none of the sites. */
function sourcesOf(token: string, names: readonly SiteHost[], request: GatedAddress): readonly string[] {
  const [whole, scheme = '', wildcard, host = '', port = '', path = ''] = SOURCE.exec(token) ?? []
  if (whole === undefined) return []
  const lower = host.toLowerCase()
  const suffix = `.${lower}`
  const named = names.filter(({ origin }) =>
    wildcard === undefined ? hostOf(origin.host) === lower : origin.host.endsWith(suffix),
  )
  const ofWildcard = wildcard === undefined && named.length === 0 ? hostAtOrigin(names, lower) : undefined
  const meant = [...named, ...(ofWildcard ? [ofWildcard] : [])].filter(({ origin }) =>
    isPortOf(port, scheme.toLowerCase(), origin),
  )
  if (meant.length === 0) return []
  const gated = meant.map((one) => `${gatedScheme(scheme, request)}${gatedAuthorityOf(one, request)}${path}`)
  return [...(wildcard === undefined ? [] : [token]), ...new Set(gated)]
}

const hostOf = (host: string): string => (host.includes(':') ? `[${host}]` : host)

/** Behind a server that ends TLS for it an origin may have another scheme, so the default port of either is meant by none. */
function isPortOf(port: string, scheme: string, origin: SiteHost['origin']): boolean {
  if (port === '*' || port === String(origin.port)) return true
  if (port !== '') return false
  const isDefault = origin.port === (origin.scheme === 'https' ? 443 : 80)
  return isDefault || origin.port === (scheme === 'https' || scheme === 'wss' ? 443 : 80)
}

function gatedScheme(scheme: string, { secure }: GatedAddress): string {
  if (scheme === '') return ''
  return `${scheme.toLowerCase().startsWith('ws') ? 'ws' : 'http'}${secure ? 's' : ''}://`
}
