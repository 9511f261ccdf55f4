import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import { hostCookieName, keepsSecureCookies } from './host-cookies.ts'

/** Where browsers keep it, a `__Host-` name: no other host can set or replace it (host-cookies.ts). */
const COOKIE_NAME = 'sallyport_device'
const MAX_AGE_SECONDS = 180 * 86_400
const ID = /^[\w-]{22}$/

/** A browser in which a member has signed in before. */
export interface KnownDevice {
  readonly deviceId: string
  readonly memberId: string
}

/** Marks a browser that has signed in to an account, so that strangers' failures do not shut it out (sign-in-limits.ts). */
export interface DeviceCookies {
  /** The device, if the request carries a cookie that was made for one of these members. */
  read(cookieHeader: string | undefined, memberIds: readonly string[]): KnownDevice | null
  /** A `Set-Cookie` value for a browser in which this member has just signed in. */
  make(memberId: string, deviceId: string | null): string
}

/** `key` signs; what `earlierKeys` have signed is believed too. `publicUrl` is where browsers are. */
export function createDeviceCookies(
  key: Buffer,
  earlierKeys: readonly Buffer[],
  publicUrl: string,
): DeviceCookies {
  const name = hostCookieName(COOKIE_NAME, publicUrl)
  const sign = (id: string, memberId: string, using = key): string =>
    createHmac('sha256', using).update(`${id}\n${memberId}`).digest('base64url')
  return {
    read(cookieHeader, memberIds) {
      const value = cookieHeader
        ?.split(';')
        .map((pair) => pair.trim())
        .find((pair) => pair.startsWith(`${name}=`))
        ?.slice(name.length + 1)
      const [id = '', signature = ''] = value?.split('.') ?? []
      if (!ID.test(id)) return null
      const given = Buffer.from(signature)
      const isOf = (memberId: string): boolean =>
        [key, ...earlierKeys].some((one) => {
          const expected = Buffer.from(sign(id, memberId, one))
          return given.length === expected.length && timingSafeEqual(given, expected)
        })
      const memberId = memberIds.find(isOf)
      return memberId === undefined ? null : { deviceId: id, memberId }
    },
    make(memberId, deviceId) {
      const id = deviceId ?? randomBytes(16).toString('base64url')
      const attributes = `Path=/; Max-Age=${MAX_AGE_SECONDS}; HttpOnly; SameSite=Lax`
      const secure = keepsSecureCookies(publicUrl) ? '; Secure' : ''
      return `${name}=${id}.${sign(id, memberId)}; ${attributes}${secure}`
    },
  }
}
