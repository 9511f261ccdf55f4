/** Making secret keys. Their text form is `secret-keys.ts` of the contract. */
import { createHash, randomBytes } from 'node:crypto'
import {
  formatSecretKey,
  SECRET_KEY_RANDOM_BYTES,
  type SecretKeyPrefix,
  secretKeyLookup,
} from '@sallyport/contract'

export interface IssuedSecretKey {
  /** The key itself: shown once, and never stored. */
  readonly key: string
  /** Its public beginning, by which it is found. */
  readonly lookup: string
  /** SHA-256 of the whole, in hex. */
  readonly hash: string
}

export function issueSecretKey(prefix: SecretKeyPrefix): IssuedSecretKey {
  const key = formatSecretKey(prefix, randomBytes(SECRET_KEY_RANDOM_BYTES))
  return { key, lookup: secretKeyLookup(key), hash: hashSecretKey(key) }
}

export const hashSecretKey = (key: string): string => createHash('sha256').update(key).digest('hex')
