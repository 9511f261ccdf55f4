/**
 * The gate's own cookies among those of a request.
 *
 * Their names begin with `__Host-Http-` (draft-ietf-httpbis-rfc6265bis, layered cookie prefixes): a browser that knows the
 * prefix takes them only from an answer of the host itself, over a secure connection, for every path and out of reach of
 * scripts, so no script and no other host of the gate domain can set or shadow them. To every other browser they are
 * `__Host-`, which keeps other hosts off. Browsers count `http://*.localhost` as secure, so development over plain HTTP
 * works the same.
 */

/** What the names of all cookies of the gate begin with. */
export const OWN_COOKIE_PREFIX = '__Host-Http-sallyport'

/** The value of a cookie in `Cookie` header values; null where there is none, and where there are several: neither counts. */
export function findCookie(headers: readonly string[], name: string): string | null {
  let found: string | null = null
  for (const header of headers)
    for (let at = header.indexOf(name); at >= 0; at = header.indexOf(name, at + name.length)) {
      const valueAt = at + name.length + 1
      if (header[valueAt - 1] !== '=' || !beginsPair(header, at)) continue
      if (found !== null) return null
      const end = header.indexOf(';', valueAt)
      found = header.slice(valueAt, end < 0 ? header.length : end).trimEnd()
    }
  return found
}

/** Whether nothing but white space stands between a position and the separator before it. */
function beginsPair(header: string, position: number): boolean {
  let at = position - 1
  while (header[at] === ' ' || header[at] === '\t') at -= 1
  return at < 0 || header[at] === ';'
}

/**
 * A `Set-Cookie` value of the gate. `sameSite` is `None` on gated hosts, because testing an origin for cross-site request
 * forgery or framing needs the browser to send the session from another site.
 */
export const ownCookie = (
  name: string,
  value: string,
  maxAgeS: number,
  sameSite: 'None' | 'Strict',
): string => `${name}=${value}; Path=/; Secure; HttpOnly; SameSite=${sameSite}; Max-Age=${maxAgeS}`
