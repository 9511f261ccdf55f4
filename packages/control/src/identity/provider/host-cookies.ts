/**
 * The cookies of the identity provider under `__Host-` names (RFC 6265bis, section 4.1.3.2).
 *
 * The problem: a cookie that another host of the same domain, or anybody on a plain connection, sets for the whole domain
 * arrives beside ours and looks like it. A browser keeps a `__Host-` name only when the host itself set it, over a secure
 * connection, for no domain and for the path `/`. The library cannot do that: it tells the sign-ins of two tabs apart by the path of
 * their cookies.
 *
 * The idea: the library keeps its names and paths, and they are translated as requests come in and answers leave. The path
 * of a sign-in becomes a part of the name. Of what a browser sends, only what has our names gets in.
 */

import type { IncomingMessage } from 'node:http'

/** The library's names. The two last are of one sign-in each, whose id ends their path. */
export const COOKIE_NAMES = {
  session: 'sallyport_session',
  interaction: 'sallyport_sign_in',
  resume: 'sallyport_sign_in_resume',
} as const

const PREFIX = '__Host-'
const OF_SIGN_IN: ReadonlySet<string> = new Set([COOKIE_NAMES.interaction, COOKIE_NAMES.resume])
const SIGN_IN_ID = /\/([\w-]{1,64})$/
const SIGNATURE = '.sig'
/** Sign-ins that a browser may have under way; each is four cookies, and a server reads a bounded head. */
const SIGN_INS_MAX = 8

interface HostCookies {
  /** What the library is shown of the `Cookie` header of a request for `path`. */
  received(header: string | undefined, path: string): string
  /** What the browser is sent for the `Set-Cookie` lines of the library, given the `Cookie` header of the request. */
  sent(lines: readonly string[], path: string, header: string | undefined): string[]
}

/**
 * Whether browsers keep secure cookies of a page at this address: over HTTPS, and on the machine itself (W3C Secure
 * Contexts, section 3.1).
 */
export function keepsSecureCookies(publicUrl: string): boolean {
  const { protocol, hostname } = new URL(publicUrl)
  return protocol === 'https:' || /^(?:(?:.+\.)?localhost|127(?:\.\d+){3}|\[::1\])$/.test(hostname)
}

/** The name of a cookie that is ours alone, where browsers keep such; otherwise as it is. */
export const hostCookieName = (name: string, publicUrl: string): string =>
  keepsSecureCookies(publicUrl) ? PREFIX + name : name

export const hostCookies: HostCookies = {
  received(header, path) {
    const signIn = signInOf(path)
    return pairsOf(header)
      .flatMap(([name, value]) => {
        const known = libraryName(name, signIn)
        return known === undefined ? [] : [`${known}=${value}`]
      })
      .join('; ')
  },
  sent(lines, path, header) {
    const here = signInOf(path)
    const translated = lines.map((line) => translate(line, here))
    const begun = lines.some((line) => line.startsWith(`${COOKIE_NAMES.interaction}=`) && !isDeletion(line))
    const ended = lines.some((line) => line.startsWith(`${COOKIE_NAMES.resume}=`) && isDeletion(line))
    const given = begun ? forgottenSignIns(header) : []
    return [...translated, ...[...given, ...(ended ? [here] : [])].flatMap(deletionsOf)]
  },
}

/** Makes the library find its cookies in a request for `path`; returns the header as the browser sent it. */
export function showLibraryCookies({ headers }: IncomingMessage, path: string): string | undefined {
  const { cookie } = headers
  headers.cookie = hostCookies.received(cookie, path)
  return cookie
}

const signInOf = (path: string): string => SIGN_IN_ID.exec(path)?.[1] ?? ''

function pairsOf(header = ''): [name: string, value: string][] {
  return header.split(';').map((pair) => {
    const at = pair.indexOf('=')
    return at < 0 ? ['', ''] : [pair.slice(0, at).trim(), pair.slice(at + 1).trim()]
  })
}

/** `sallyport_sign_in` of `__Host-sallyport_sign_in.<id>` where that sign-in is asked for; nothing for what is not ours. */
function libraryName(name: string, signIn: string): string | undefined {
  if (!name.startsWith(PREFIX)) return undefined
  const suffix = name.endsWith(SIGNATURE) ? SIGNATURE : ''
  const [base = '', id = ''] = name.slice(PREFIX.length, name.length - suffix.length).split('.', 2)
  const isOurs = OF_SIGN_IN.has(base) ? id !== '' && id === signIn : base === COOKIE_NAMES.session
  return isOurs ? base + suffix : undefined
}

/** The line with our name, for the whole host. The sign-in is that of the line's path, or of the request's. */
function translate(line: string, here: string): string {
  const [pair = '', ...attributes] = line.split(';').map((part) => part.trim())
  const at = pair.indexOf('=')
  const path = attributes.find((attribute) => /^path=/i.test(attribute)) ?? ''
  const name = hostName(pair.slice(0, at), signInOf(path) || here)
  const others = attributes.filter((attribute) => !/^(?:path|domain|secure)(?:=|$)/i.test(attribute))
  return [name + pair.slice(at), 'path=/', 'secure', ...others].join('; ')
}

function hostName(name: string, signIn: string): string {
  const suffix = name.endsWith(SIGNATURE) ? SIGNATURE : ''
  const base = name.slice(0, name.length - suffix.length)
  return PREFIX + base + (OF_SIGN_IN.has(base) ? `.${signIn}` : '') + suffix
}

const isDeletion = (line: string): boolean => /;\s*expires=Thu, 01 Jan 1970/i.test(line)

/** The oldest sign-ins of the browser (it sends cookies in the order in which they were set), but for the latest few. */
function forgottenSignIns(header: string | undefined): string[] {
  const start = `${PREFIX}${COOKIE_NAMES.interaction}.`
  const ids = pairsOf(header).flatMap(([name]) =>
    name.startsWith(start) && !name.endsWith(SIGNATURE) ? [name.slice(start.length)] : [],
  )
  return ids.slice(0, Math.max(0, ids.length - SIGN_INS_MAX + 1))
}

function deletionsOf(signIn: string): string[] {
  if (!SIGN_IN_ID.test(`/${signIn}`)) return []
  return [...OF_SIGN_IN].flatMap((base) =>
    ['', SIGNATURE].map(
      (suffix) =>
        `${hostName(base + suffix, signIn)}=; path=/; secure; expires=Thu, 01 Jan 1970 00:00:00 GMT; httponly; samesite=lax`,
    ),
  )
}
