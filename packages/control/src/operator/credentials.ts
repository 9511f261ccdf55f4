/** Credentials that the operator hands out: shown once, stored as hashes. */
import { randomBytes } from 'node:crypto'
import { API_KEY_PREFIX, type Role } from '@sallyport/contract'
import { newId } from '../database/database.ts'
import { issueSecretKey } from '../identity/secret-keys.ts'
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
  return {
    id: newId(),
    name,
    role,
    createdBy: creator.id,
    createdByEmail: creator.email,
    ...issueSecretKey(API_KEY_PREFIX),
  }
}
