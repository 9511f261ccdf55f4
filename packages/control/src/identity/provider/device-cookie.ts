import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'

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

/** `path` is where the browser sends it back to. `key` signs; what `earlierKeys` have signed is believed too. */
export function createDeviceCookies(
  key: Buffer,
  earlierKeys: readonly Buffer[],
  options: { path: string; secure: boolean },
): DeviceCookies {
  const sign = (id: string, email: string, using = key): string =>
    createHmac('sha256', using).update(`${id}\n${email.toLowerCase()}`).digest('base64url')
  return {
    read(cookieHeader, email) {
      const value = cookieHeader
        ?.split(';')
        .map((pair) => pair.trim())
        .find((pair) => pair.startsWith(`${COOKIE_NAME}=`))
        ?.slice(COOKIE_NAME.length + 1)
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
      const attributes = `Path=${options.path}; Max-Age=${MAX_AGE_SECONDS}; HttpOnly; SameSite=Lax`
      return `${COOKIE_NAME}=${id}.${sign(id, email)}; ${attributes}${options.secure ? '; Secure' : ''}`
    },
  }
}
