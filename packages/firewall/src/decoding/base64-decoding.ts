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

/** The bytes of characters of base64's alphabet, but for those that are plainly words or numbers, and for noise. */
export function bytesOfBase64(body: string): Buffer | undefined {
  if (isNoise(body)) return undefined
  if (PLAINLY_TEXT.test(body) || body.replace(/=+$/, '').length % 4 === 1) return undefined
  return Buffer.from(body, /[-_]/.test(body) ? 'base64url' : 'base64')
}

/** By code of a character of either alphabet, its six bits; 64 for any other. */
const SIX_BITS = new Uint8Array(128).fill(64)
for (const [index, character] of [
  ...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/',
].entries())
  SIX_BITS[character.charCodeAt(0)] = index
SIX_BITS['-'.charCodeAt(0)] = 62
SIX_BITS['_'.charCodeAt(0)] = 63

/** Whether a code is that of a character of either alphabet. */
export const isOfBase64 = (code: number): boolean => (SIX_BITS[code] ?? 64) < 64

/** How many bytes are looked at, four characters for three of them. */
const GLANCED_BYTES = 12
/** What compressed data and serialized objects begin with, which need be no text. */
const KNOWN_BEGINNINGS: ReadonlySet<number> = new Set([0x00, 0x1f, 0x78, 0x80, 0xac])

/**
 * Whether the first bytes of what stands in base64 say already that it is no text, nor anything else that is read: most paths and
 * identifiers need not be decoded. False where only all of it can say.
 */
function isNoise(text: string): boolean {
  const bytes = Math.floor((text.length * 3) / 4)
  if (bytes < GLANCED_BYTES) return false
  let unprintable = 0
  let following = 0
  for (let at = 0; at < GLANCED_BYTES; at++) {
    const index = Math.floor(at / 3) * 4 + (at % 3)
    const one = SIX_BITS[text.charCodeAt(index)] ?? 64
    const other = SIX_BITS[text.charCodeAt(index + 1)] ?? 64
    if (one === 64 || other === 64) return false
    const byte = ((one << (2 + 2 * (at % 3))) | (other >> (4 - 2 * (at % 3)))) & 0xff
    if (at === 0 && KNOWN_BEGINNINGS.has(byte)) return false
    if (following > 0) {
      if (byte >> 6 !== 2) return true
      following--
    } else if (byte >= 0x80) {
      following = bytesFollowing(byte)
      if (following === 0) return true
    } else if (!isPrintable(byte) && (bytes - ++unprintable) / bytes < PRINTABLE_SHARE_MIN) return true
  }
  return false
}

/** How many bytes follow the first of a character in UTF-8 that is not ASCII; 0 where no character begins so. */
function bytesFollowing(first: number): number {
  if (first < 0xc2 || first > 0xf4) return 0
  if (first < 0xe0) return 1
  return first < 0xf0 ? 2 : 3
}

/** Bytes as text where they are printable UTF-8. */
export const plainText = (bytes: Buffer): string | undefined =>
  isUtf8(bytes) && printableShare(bytes) >= PRINTABLE_SHARE_MIN ? bytes.toString('utf8') : undefined

const isPrintable = (byte: number): boolean => byte >= 0x20 || byte === 0x09 || byte === 0x0a || byte === 0x0d

function printableShare(bytes: Buffer): number {
  let printable = 0
  for (const byte of bytes) if (isPrintable(byte)) printable++
  return bytes.length === 0 ? 0 : printable / bytes.length
}
