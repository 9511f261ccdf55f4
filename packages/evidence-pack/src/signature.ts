/** The Ed25519 signature (RFC 8032) of a manifest, by the Web Crypto API, which Node and browsers share. */
import { bytesOfBase64 } from './encoding.ts'
import { type StartSha256, sha256Of } from './sha256.ts'

/** SubjectPublicKeyInfo of an Ed25519 key in PEM (RFC 8410, section 4), in the one spelling that is written. */
const PUBLIC_KEY = /^-----BEGIN PUBLIC KEY-----\n([A-Za-z0-9+/=]{60})\n-----END PUBLIC KEY-----\n$/

/** The DER of a public key as it travels in a pack; null where it is none. */
export const publicKeyOf = (pem: string): Uint8Array<ArrayBuffer> | null =>
  bytesOfBase64(PUBLIC_KEY.exec(pem)?.[1] ?? '-')

/** `sha256:` and the hash of the key's SubjectPublicKeyInfo, by which people compare keys. */
export const fingerprintOf = (start: StartSha256, publicKey: Uint8Array): string =>
  `sha256:${sha256Of(start, publicKey)}`

export type SignatureVerdict = 'signed' | 'not signed' | 'no key' | 'not supported'

/** Whether `signature`, in base64, is that of the content by the key. */
export async function verifySignature(
  content: Uint8Array,
  signature: string,
  publicKey: Uint8Array<ArrayBuffer>,
): Promise<SignatureVerdict> {
  const bytes = bytesOfBase64(signature)
  try {
    const key = await crypto.subtle.importKey('spki', publicKey, 'Ed25519', false, ['verify'])
    if (!bytes) return 'not signed'
    return (await crypto.subtle.verify('Ed25519', key, bytes, Uint8Array.from(content)))
      ? 'signed'
      : 'not signed'
  } catch (error) {
    return error instanceof DOMException && error.name === 'NotSupportedError' ? 'not supported' : 'no key'
  }
}
