/**
 * The text form of Sallyport's secret keys: `ak_live_…` (an organization's API key), `rk_live_…` (a researcher's key),
 * `gw_live_…` (a gateway's credential) and `ge_live_…` (a token that enrols a gateway).
 *
 * prefix (8 characters) + secret (33 base62 characters that encode 192 random bits) + checksum (6 base62 characters
 * that encode the CRC32 of all before it). The prefix lets secret scanners find a leaked key, and the checksum lets
 * them, and us, tell a key from a look-alike without a database. The first characters of the secret are public: keys
 * are found and shown by them; the rest still holds more than 140 bits.
 */

/** Random bytes that `formatSecretKey` takes: 192 bits. */
export const SECRET_KEY_RANDOM_BYTES = 24
/** Whole length of a key in characters. */
export const SECRET_KEY_CHARS = 47
export const API_KEY_PREFIX = 'ak_live_'
export const RESEARCHER_KEY_PREFIX = 'rk_live_'
export const GATEWAY_CREDENTIAL_PREFIX = 'gw_live_'
export const ENROLMENT_TOKEN_PREFIX = 'ge_live_'
/**
 * What has the form of a researcher key as far as the eye goes: a few characters more or fewer than a key has, and with any
 * checksum. It is kept from origins and records although it is no key, because it may be most of one. Longer or shorter texts with
 * the same prefix are other services' keys.
 */
export const RESEARCHER_KEY_LIKE = /rk_live_[0-9A-Za-z]{25,64}(?![0-9A-Za-z])/
/**
 * The same in any case, its signs as they are or percent-encoded, once or again: a host in lower case and an encoded sign leave most of
 * a key.
 */
export const RESEARCHER_KEY_IN_TEXT = /rk(?:_|%(?:25)*5f)live(?:_|%(?:25)*5f)[0-9a-z]{25,64}(?![0-9a-z])/gi
export type SecretKeyPrefix =
  | typeof API_KEY_PREFIX
  | typeof RESEARCHER_KEY_PREFIX
  | typeof GATEWAY_CREDENTIAL_PREFIX
  | typeof ENROLMENT_TOKEN_PREFIX

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const PREFIX_CHARS = 8
const SECRET_CHARS = 33
const CHECKSUM_CHARS = 6
const LOOKUP_CHARS = PREFIX_CHARS + 8
const SHAPE = new RegExp(`^[0-9A-Za-z]{${SECRET_CHARS + CHECKSUM_CHARS}}$`)

/**
 * Writes a key from `SECRET_KEY_RANDOM_BYTES` bytes of a cryptographic random source.
 * @throws RangeError for any other number of bytes.
 */
export function formatSecretKey(prefix: SecretKeyPrefix, random: Uint8Array): string {
  if (random.length !== SECRET_KEY_RANDOM_BYTES)
    throw new RangeError(`a key is made of ${SECRET_KEY_RANDOM_BYTES} bytes`)
  const number = random.reduce((sum, byte) => (sum << 8n) | BigInt(byte), 0n)
  const body = prefix + base62(number, SECRET_CHARS)
  return body + checksum(body)
}

/** Whether `text` has the prefix, the length, the alphabet and the checksum of such a key. Says nothing of its validity. */
export function isSecretKey(prefix: SecretKeyPrefix, text: string): boolean {
  if (text.length !== SECRET_KEY_CHARS || !text.startsWith(prefix)) return false
  if (!SHAPE.test(text.slice(PREFIX_CHARS))) return false
  const body = text.slice(0, -CHECKSUM_CHARS)
  return text.slice(-CHECKSUM_CHARS) === checksum(body)
}

/** The public beginning of a key, by which it is found in the database and recognized on a screen. */
export const secretKeyLookup = (key: string): string => key.slice(0, LOOKUP_CHARS)

const checksum = (body: string): string => base62(BigInt(crc32(body)), CHECKSUM_CHARS)

function base62(number: bigint, chars: number): string {
  let text = ''
  for (let rest = number; text.length < chars; rest /= 62n) text = ALPHABET.charAt(Number(rest % 62n)) + text
  return text
}

const CRC32_TABLE = Uint32Array.from({ length: 256 }, (_, index) => {
  let value = index
  for (let bit = 0; bit < 8; bit++) value = value & 1 ? (value >>> 1) ^ 0xed_b8_83_20 : value >>> 1
  return value
})

/** CRC-32 as in ISO 3309 and zlib, over ASCII text. */
function crc32(text: string): number {
  let value = 0xff_ff_ff_ff
  for (let index = 0; index < text.length; index++)
    value = (value >>> 8) ^ (CRC32_TABLE[(value ^ text.charCodeAt(index)) & 0xff] ?? 0)
  return (value ^ 0xff_ff_ff_ff) >>> 0
}
