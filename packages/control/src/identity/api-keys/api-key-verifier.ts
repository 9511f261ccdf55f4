/**
 * Verification of organization API keys (`ak_live_…`).
 *
 * A key is found by its public beginning and compared, as a SHA-256 digest, in constant time. A plain hash is enough:
 * the secret part is random, so there is nothing to guess that a slow hash would protect. What was found is remembered
 * for half a second (remembered.ts), so a revoked key stops working everywhere within one.
 */
import { timingSafeEqual } from 'node:crypto'
import { API_KEY_PREFIX, isSecretKey, type Role, secretKeyLookup } from '@sallyport/contract'
import { AuthenticationError } from '../principal.ts'
import { createRemembered } from '../remembered.ts'
import { hashSecretKey } from './secret-keys.ts'

/** An API key as stored, with those of its secrets that the looked-up beginning belongs to. */
export interface StoredApiKey {
  readonly id: string
  readonly orgId: string
  readonly role: Role
  readonly createdByEmail: string
  /** SHA-256 of the key's text, in hex. */
  readonly hash: string
  /** Milliseconds since the epoch; null for a key that does not expire. */
  readonly expiresAt: number | null
}

export interface ApiKeyVerifierOptions {
  /** Keys, not revoked, whose text begins so. Usually one or none. */
  readonly find: (lookup: string) => Promise<readonly StoredApiKey[]>
  /** Told of each successful use; must be cheap, since it is called for every request. */
  readonly used: (key: StoredApiKey, at: number) => void
  readonly now?: () => number
}

export interface ApiKeyVerifier {
  /** @throws AuthenticationError `unauthorized`. */
  verify(key: string): Promise<StoredApiKey>
  /** Forgets everything at once; called after a key of this process has changed. */
  forget(): void
}

export function createApiKeyVerifier(options: ApiKeyVerifierOptions): ApiKeyVerifier {
  const { find, used, now = Date.now } = options
  const keys = createRemembered({ find, now })
  return {
    async verify(key) {
      if (!isSecretKey(API_KEY_PREFIX, key)) throw new AuthenticationError('unauthorized', 'not an API key')
      const hash = Buffer.from(hashSecretKey(key), 'hex')
      const candidates = await keys.find(secretKeyLookup(key))
      const match = candidates.find((stored) => timingSafeEqual(Buffer.from(stored.hash, 'hex'), hash))
      if (!match) throw new AuthenticationError('unauthorized', 'no such API key')
      if (match.expiresAt !== null && match.expiresAt <= now())
        throw new AuthenticationError('unauthorized', `API key ${match.id} has expired`)
      used(match, now())
      return match
    },
    forget: () => keys.forget(),
  }
}
