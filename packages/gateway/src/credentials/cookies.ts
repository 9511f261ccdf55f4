/**
 * The gate's own cookies, by the family of their names.
 *
 * The names begin with `__Host-Http-` (draft-ietf-httpbis-rfc6265bis, layered cookie prefixes): a browser that knows the
 * prefix takes them only from an answer of the host itself, over a secure connection, for every path and out of reach of
 * scripts, so no script and no other host of the gate domain can set or shadow them. To every other browser they are
 * `__Host-`, which keeps other hosts off. Browsers count `http://*.localhost` as secure, so development over plain HTTP
 * works the same.
 *
 * The session of a group of sites is for several hosts, so its cookie is for their domain. Its name keeps scripts off, where a
 * browser knows it, but in every other one a page of any gated host may plant one for a domain above: so each that comes is
 * looked at, and those count that the gate has sealed for this group, if they are of one researcher.
 *
 * None of the family comes from an origin, and none goes to one, so that no origin reads, ends, shadows or forges what the
 * gate keeps in a browser. Judged is what could come back as such a name. Browsers take the prefixes in any case (RFC
 * 6265bis, section 4.1.3), and a cookie without a name (`=__Host-…`, or no sign at all) comes back looking like one that has it.
 */

/** What the names of the gate's cookies begin with, where one host alone gets them. */
export const OWN_COOKIE_PREFIX = '__Host-Http-sallyport'
/** The same of those that all hosts of a group of sites get: out of reach of scripts, but for a domain. */
export const GROUP_COOKIE_PREFIX = '__Http-sallyport'

/** The value of a cookie in `Cookie` header values; null where there is none, and where there are several: neither counts. */
export function findCookie(headers: readonly string[], name: string): string | null {
  const [found = null, ...others] = findCookies(headers, name)
  return others.length === 0 ? found : null
}

/** The values of the first cookies of a name. */
export function findCookies(headers: readonly string[], name: string): readonly string[] {
  let found = NO_VALUES
  for (const header of headers)
    for (let at = header.indexOf(name); at >= 0; at = header.indexOf(name, at + name.length)) {
      const valueAt = at + name.length + 1
      if (header[valueAt - 1] !== '=' || !beginsPair(header, at)) continue
      const end = header.indexOf(';', valueAt)
      const value = header.slice(valueAt, end < 0 ? header.length : end).trimEnd()
      found = [...found, value]
      if (found.length === VALUES_MAX) return found
    }
  return found
}

const NO_VALUES: readonly string[] = []
/** A head may hold thousands. */
const VALUES_MAX = 8

/** Whether nothing but white space stands between a position and the separator before it. */
function beginsPair(header: string, position: number): boolean {
  let at = position - 1
  while (header[at] === ' ' || header[at] === '\t') at -= 1
  return at < 0 || header[at] === ';'
}

/**
 * A `Set-Cookie` value of the gate, for its host alone, or for a whole `domain`. `sameSite` is `None` on gated hosts, because testing an origin for cross-site request
 * forgery or framing needs the browser to send the session from another site.
 */
export const ownCookie = (
  name: string,
  value: string,
  maxAgeS: number,
  sameSite: 'None' | 'Strict',
  domain = '',
): string =>
  `${name}=${value}; Path=/; Secure; HttpOnly; SameSite=${sameSite}; Max-Age=${maxAgeS}${domain === '' ? '' : `; Domain=${domain}`}`

const FAMILY = '__(?:host-http|host|http|secure)-sallyport'
/** Some clients take control characters for blanks, and look past them. */
const OF_GATE = new RegExp(`^[\\x00-\\x20=]*${FAMILY}`, 'i')
const MENTIONED = new RegExp(FAMILY, 'i')

/** Whether a pair of a `Cookie` header, or the beginning of a `Set-Cookie` value, is named like a cookie of the gate. */
export const isGateCookie = (pair: string): boolean => OF_GATE.test(pair)

/** A `Cookie` header value without the gate's cookies, all else byte for byte; empty where nothing is left. */
export function withoutGateCookies(header: string): string {
  if (!MENTIONED.test(header)) return header
  return header
    .split(';')
    .filter((pair) => !isGateCookie(pair))
    .join(';')
    .trimStart()
}
