/**
 * Session cookies of browsers: `<researcher id>.<generation>.<issued, seconds>.<mac>`, the mac an HMAC-SHA-256 with the
 * installation's session key over everything before it. Nothing is stored; raising the researcher's generation ends
 * every cookie issued before.
 *
 * The name begins with `__Host-`, so a browser takes it only from the gated host itself, over a secure connection, for
 * every path, and no other site under the gate domain can set or shadow it. Browsers count `http://*.localhost` as
 * secure, so development over plain HTTP works the same. `SameSite=None`, because testing an origin for cross-site
 * request forgery or framing needs the browser to send it from another site; what the gate itself serves to a session
 * under `/.sallyport/` changes nothing.
 */
import { createHmac, timingSafeEqual } from 'node:crypto'

export const SESSION_COOKIE = '__Host-sallyport'
export const SESSION_LIFETIME_MS = 30 * 86_400_000

export interface Session {
  readonly researcherId: string
  readonly generation: number
  /** Milliseconds since the epoch. */
  readonly issuedAt: number
}

const COOKIE_CHARS_MAX = 256
const FORM = /^([0-9A-Za-z-]{1,64})\.(\d{1,10})\.(\d{1,11})\.([0-9A-Za-z_-]{43})$/

/** `key` is base64url, as the snapshot carries it. */
const macOf = (text: string, key: string): Buffer =>
  createHmac('sha256', Buffer.from(key, 'base64url')).update(text).digest()

/** The value of the cookie for a session that begins now. */
export function sealSession(session: Session, key: string): string {
  const text = `${session.researcherId}.${session.generation}.${Math.floor(session.issuedAt / 1000)}`
  return `${text}.${macOf(text, key).toString('base64url')}`
}

/** Reads a cookie value; null where it was not made with this key. Says nothing about who may still enter. */
export function openSession(value: string, key: string): Session | null {
  if (value.length > COOKIE_CHARS_MAX) return null
  const match = FORM.exec(value)
  if (!match) return null
  const [, researcherId = '', generation = '', issued = '', mac = ''] = match
  const expected = macOf(`${researcherId}.${generation}.${issued}`, key)
  const given = Buffer.from(mac, 'base64url')
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) return null
  return { researcherId, generation: Number(generation), issuedAt: Number(issued) * 1000 }
}

/** The `Set-Cookie` value that begins a session. */
export const sessionCookie = (value: string): string =>
  `${SESSION_COOKIE}=${value}; Path=/; Secure; HttpOnly; SameSite=None; Max-Age=${SESSION_LIFETIME_MS / 1000}`

/** The value of our cookie in `Cookie` header values, null where there is none. The first one counts. */
export function findSessionCookie(headers: readonly string[]): string | null {
  for (const header of headers)
    for (const part of header.split(';')) {
      const pair = part.trim()
      if (pair.startsWith(`${SESSION_COOKIE}=`)) return pair.slice(SESSION_COOKIE.length + 1)
    }
  return null
}
