import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import { hostCookieName, keepsSecureCookies } from './host-cookies.ts'

/** Where browsers keep it, a `__Host-` name: no other host can set or replace it (host-cookies.ts). */
const COOKIE_NAME = 'sallyport_device'
const MAX_AGE_SECONDS = 180 * 86_400
const ID = /^[\w-]{22}$/

/** Marks a browser that has signed in to an account, so that strangers' failures do not shut it out (sign-in-limits.ts). */
export interface DeviceCookies {
  /** Id of the device, if the request carries a cookie that was made for this address. */
  read(cookieHeader: string | undefined, email: string): string | null
  /** A `Set-Cookie` value for a browser that has just signed in. */
  make(email: string, deviceId: string | null): string
}

/** `key` signs; what `earlierKeys` have signed is believed too. `publicUrl` is where browsers are. */
export function createDeviceCookies(
  key: Buffer,
  earlierKeys: readonly Buffer[],
  publicUrl: string,
): DeviceCookies {
  const name = hostCookieName(COOKIE_NAME, publicUrl)
  const sign = (id: string, email: string, using = key): string =>
    createHmac('sha256', using).update(`${id}\n${email.toLowerCase()}`).digest('base64url')
  return {
    read(cookieHeader, email) {
      const value = cookieHeader
        ?.split(';')
        .map((pair) => pair.trim())
        .find((pair) => pair.startsWith(`${name}=`))
        ?.slice(name.length + 1)
      const [id = '', signature = ''] = value?.split('.') ?? []
      if (!ID.test(id)) return null
      const given = Buffer.from(signature)
      const isSignedBy = (one: Buffer): boolean => {
        const expected = Buffer.from(sign(id, email, one))
        return given.length === expected.length && timingSafeEqual(given, expected)
      }
      return [key, ...earlierKeys].some(isSignedBy) ? id : null
    },
    make(email, deviceId) {
      const id = deviceId ?? randomBytes(16).toString('base64url')
      const attributes = `Path=/; Max-Age=${MAX_AGE_SECONDS}; HttpOnly; SameSite=Lax`
      const secure = keepsSecureCookies(publicUrl) ? '; Secure' : ''
      return `${name}=${id}.${sign(id, email)}; ${attributes}${secure}`
    },
  }
}
