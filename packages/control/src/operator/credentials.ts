/** Credentials that the operator hands out: shown once, stored as hashes. */
import { createHash, randomBytes } from 'node:crypto'
import {
  API_KEY_PREFIX,
  formatSecretKey,
  type Role,
  SECRET_KEY_RANDOM_BYTES,
  secretKeyLookup,
} from '@sallyport/contract'
import { newId } from '../database/database.ts'
import type { NewApiKey } from './store.ts'

const PASSWORD_BYTES = 15

/** 120 random bits in 20 characters that survive being copied. */
export const makePassword = (): string => randomBytes(PASSWORD_BYTES).toString('base64url')

/** A new API key, made by `creator`. */
export function issueApiKey(
  name: string,
  role: Role,
  creator: { readonly id: string; readonly email: string },
): NewApiKey & { readonly key: string } {
  const key = formatSecretKey(API_KEY_PREFIX, randomBytes(SECRET_KEY_RANDOM_BYTES))
  return {
    id: newId(),
    name,
    role,
    lookup: secretKeyLookup(key),
    hash: createHash('sha256').update(key).digest('hex'),
    createdBy: creator.id,
    createdByEmail: creator.email,
    key,
  }
}
