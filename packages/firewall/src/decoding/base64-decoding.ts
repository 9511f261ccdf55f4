import { isUtf8 } from 'node:buffer'

/** The slash can stand in one place only: where it could stand in any, the time would grow with the square of the length. */
const BASE64 = /^(?:data:[\w.+-]*(?:\/[\w.+-]*)?;base64,)?[A-Za-z0-9+/_-]{12,}={0,2}$/
const CHARS_MAX = 512 * 1024
const PRINTABLE_SHARE_MIN = 0.95
/** Lower-case words alone, or numbers alone, are text that merely could be base64. */
const PLAINLY_TEXT = /^(?:[a-z]+|[A-Z]+|[0-9]+|[a-z_-]+|[A-Z_-]+|[0-9a-f-]+|[0-9A-F-]+)$/

/** Header, claims and signature of a JSON Web Token (RFC 7519); the signature may be left out. */
const TOKEN = /^(?:bearer\s{1,8})?(ey[\w-]{6,8000})\.([\w-]{2,8000})\.[\w-]{0,8000}$/i

/**
 * What a JSON Web Token says, its header and then its claims, as an application reads it that
 * looks a key up by `kid` or an account by a claim; otherwise undefined.
 */
export function decodeToken(text: string): string | undefined {
  const found = TOKEN.exec(text)
  if (!found) return undefined
  const bytes = [found[1] ?? '', found[2] ?? ''].map((part) => Buffer.from(part, 'base64url'))
  return bytes.every((part) => isUtf8(part))
    ? bytes.map((part) => part.toString('utf8')).join(' ')
    : undefined
}

/**
 * What a value says in base64, where it is plainly that: it has the alphabet and the length, and what comes out is
 * printable text. Otherwise undefined; images, hashes and identifiers decode to noise and are left alone.
 */
export function decodeBase64(text: string): string | undefined {
  if (text.length > CHARS_MAX || !BASE64.test(text)) return undefined
  const bytes = bytesOfBase64(text.startsWith('data:') ? text.slice(text.indexOf(',') + 1) : text)
  return bytes && plainText(bytes)
}

/** The bytes of characters of base64's alphabet, but for those that are plainly words or numbers. */
export function bytesOfBase64(body: string): Buffer | undefined {
  if (PLAINLY_TEXT.test(body) || body.replace(/=+$/, '').length % 4 === 1) return undefined
  return Buffer.from(body, /[-_]/.test(body) ? 'base64url' : 'base64')
}

/** Bytes as text where they are printable UTF-8. */
export const plainText = (bytes: Buffer): string | undefined =>
  isUtf8(bytes) && printableShare(bytes) >= PRINTABLE_SHARE_MIN ? bytes.toString('utf8') : undefined

function printableShare(bytes: Buffer): number {
  let printable = 0
  for (const byte of bytes) if (byte >= 0x20 || byte === 0x09 || byte === 0x0a || byte === 0x0d) printable++
  return bytes.length === 0 ? 0 : printable / bytes.length
}
