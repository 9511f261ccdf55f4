/**
 * The gate's own cookies, by the family of their names. None of them comes from an origin, and none goes to one, so that no
 * origin reads, ends, shadows or forges what the gate keeps in a browser.
 *
 * Judged is what could come back as such a name. Browsers take the prefixes in any case (RFC 6265bis, section 4.1.3), and
 * a cookie without a name (`=__Host-…`, or no sign at all) comes back looking like one that has it.
 */
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
