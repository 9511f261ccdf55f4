/**
 * Encryption of what must be stored and shown again: AES-256-GCM under the key of the installation.
 *
 * A sealed text is `v1.<key id>.<nonce>.<ciphertext and tag>` in base64url. Its place (organization, thing, field) is
 * authenticated with it, so that a sealed text moved to another row does not open. The key id says which key sealed it:
 * after a rotation, texts under an earlier key still open for as long as that key is given, until they have been sealed
 * anew under the current one (reseal.ts).
 */
import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto'

const ALGORITHM = 'aes-256-gcm'
const NONCE_BYTES = 12
const TAG_BYTES = 16

export interface Cipher {
  /** `place` names where the sealed text is kept; it must be the same when it is opened. */
  encrypt(text: string, place: string): string
  /** Throws where the text was altered or moved, or its key is not known. */
  decrypt(sealed: string, place: string): string
  /** What every text begins with that is sealed under the current key, and no other. */
  readonly prefix: string
}

/** `key` seals; `earlierKeys` only open. Each is 32 bytes. */
export function createCipher(key: Uint8Array, earlierKeys: readonly Uint8Array[] = []): Cipher {
  const keys = new Map([key, ...earlierKeys].map((known) => [keyId(known), known]))
  const current = keyId(key)
  return {
    encrypt: (text, place) => {
      const nonce = randomBytes(NONCE_BYTES)
      const cipher = createCipheriv(ALGORITHM, key, nonce).setAAD(Buffer.from(place))
      const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()])
      return ['v1', current, nonce.toString('base64url'), sealed.toString('base64url')].join('.')
    },
    decrypt: (sealed, place) => {
      const [version, id = '', nonce = '', content = ''] = sealed.split('.')
      const known = keys.get(id)
      if (version !== 'v1' || !known) throw new Error('a stored secret is under a key that is not known')
      const bytes = Buffer.from(content, 'base64url')
      const decipher = createDecipheriv(ALGORITHM, known, Buffer.from(nonce, 'base64url'))
      decipher.setAAD(Buffer.from(place)).setAuthTag(bytes.subarray(-TAG_BYTES))
      return decipher.update(bytes.subarray(0, -TAG_BYTES), undefined, 'utf8') + decipher.final('utf8')
    },
    prefix: `v1.${current}.`,
  }
}

/** Identifies a key without disclosing anything of it. */
const keyId = (key: Uint8Array): string =>
  createHash('sha256').update('sallyport key id').update(key).digest('hex').slice(0, 8)
