/** Credentials that the operator hands out: shown once, stored as hashes. */
import { randomBytes } from 'node:crypto'
import { API_KEY_PREFIX, type Role, secretKeyLookup } from '@sallyport/contract'
import { newId } from '../database/database.ts'
import { hashSecretKey, issueSecretKey } from '../identity/api-keys/secret-keys.ts'
import type { NewApiKeyRow } from '../identity/api-keys/store.ts'

const PASSWORD_BYTES = 15

/** 120 random bits in 20 characters that survive being copied. */
export const makePassword = (): string => randomBytes(PASSWORD_BYTES).toString('base64url')

/** What an organization is made with, decided beforehand. */
export interface OrganizationCredentials {
  readonly organizationId: string
  /** Of the owner. */
  readonly password: string
  readonly apiKey: string
}

export const issueFirstCredentials = (): OrganizationCredentials => ({
  organizationId: newId(),
  password: makePassword(),
  apiKey: issueSecretKey(API_KEY_PREFIX).key,
})

/** A new API key, made by `creator`, as it is stored. */
export const storedApiKey = (
  key: string,
  name: string,
  role: Role,
  creator: { readonly id: string; readonly email: string },
): NewApiKeyRow => ({
  id: newId(),
  name,
  role,
  expires_at: null,
  created_by: creator.id,
  created_by_email: creator.email,
  lookup: secretKeyLookup(key),
  hash: hashSecretKey(key),
})
