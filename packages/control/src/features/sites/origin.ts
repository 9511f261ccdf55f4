/** What an `originName` means. */
import { HOST_CHARS_MAX } from '@sallyport/contract'
import { isWildcardHost } from '@sallyport/policy'
import { invalid } from '../../errors.ts'

export interface SiteOrigin {
  readonly scheme: 'http' | 'https'
  /** A name, of several hosts with `*` as its first label, or an address literal without brackets; lower case. */
  readonly host: string
  readonly port: number
}

const LABEL = '[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?'
/** A host name in lower case (RFC 1123, section 2.1), without the dot that may end it in the DNS. */
export const HOST_NAME = new RegExp(`^${LABEL}(?:\\.${LABEL})*$`)

const SCHEME = /^([a-z][a-z0-9+.-]*):\/\//i
/** Host, the address of IPv6 in brackets, and port. */
const AUTHORITY = /^(\[[^[\]]*\]|[^[\]:]*)(?::(.*))?$/s
const PORT_MAX = 65_535

const refuse = (message: string) => invalid('/originName', message)

/**
 * Reads a host, `host:port` or http(s) URL without a path; https unless it says otherwise. A host may be a wildcard. Throws a 400.
 *
 * It is read letter by letter: the parser of browsers (WHATWG URL) takes out tabs, decodes percent signs and maps letters and
 * numbers to names and addresses that nobody wrote, and what an administrator reads must be what the gate connects to.
 */
export function readOrigin(originName: string): SiteOrigin {
  const written = originName.trim()
  requirePlain(written)
  const [beginning = '', given = 'https'] = SCHEME.exec(written) ?? []
  const scheme = given.toLowerCase()
  if (scheme !== 'http' && scheme !== 'https') throw refuse('must be http or https')
  const authority = written.slice(beginning.length).replace(/\/$/, '')
  if (/[/?#\\]/.test(authority)) throw refuse('must not hold a path, query or fragment')
  if (authority.includes('@')) throw refuse('must not hold a user name or password')
  const [, host = '', port] = AUTHORITY.exec(authority) ?? []
  return { scheme, host: readHost(host.toLowerCase()), port: readPort(port, scheme) }
}

function requirePlain(written: string): void {
  if (/[^\x21-\x7e]/.test(written))
    throw refuse(
      'must not hold blanks or control characters, and is written in ASCII: xn--… for other letters',
    )
}

function readPort(text: string | undefined, scheme: 'http' | 'https'): number {
  if (text === undefined) return scheme === 'https' ? 443 : 80
  const port = /^\d{1,5}$/.test(text) ? Number(text) : 0
  if (port < 1 || port > PORT_MAX) throw refuse(`must name a port from 1 to ${PORT_MAX}, or none`)
  return port
}

function readHost(host: string): string {
  if (host === '') throw refuse('must be a host, host:port or an http(s) URL')
  // IPv6 has several spellings of an address, and no zone in a URL (RFC 3986, section 3.2.2).
  if (host.startsWith('[')) {
    const address = URL.parse(`http://${host}`)?.hostname.slice(1, -1)
    if (address === undefined) throw refuse('does not hold an IPv6 address in its brackets')
    return address
  }
  // One of the hosts that a wildcard stands for is read in its place; none of them is an address then, whatever its label.
  const name = isWildcardHost(host) ? host.replace('*', 'a') : host
  if (name.length > HOST_CHARS_MAX || !HOST_NAME.test(name)) throw refuse('is not a host name')
  // An address in other numbers than four decimal ones (0x7f.1), and letters that no registry would take.
  if (URL.parse(`http://${name}`)?.hostname !== name)
    throw refuse('is neither a host name nor an IPv4 address of four decimal numbers')
  return host
}
