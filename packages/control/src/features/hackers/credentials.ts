/** What a researcher is given to come in with: a key for tools, a link for browsers. Only hashes are stored. */
import { createHash, randomBytes } from 'node:crypto'
import { GATE_INVITATION_PATH, RESEARCHER_KEY_PREFIX } from '@sallyport/contract'
import { newId } from '../../database/database.ts'
import { issueSecretKey } from '../../identity/api-keys/secret-keys.ts'
import type { NewInvitation, NewKey } from './store.ts'

const INVITATION_TOKEN_BYTES = 24
const DAY_MS = 86_400_000
export const INVITATION_DAYS = 7

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')

export interface IssuedKey extends NewKey {
  /** Shown once, and never stored. */
  readonly key: string
}

export function issueKey(researcherId: string): IssuedKey {
  return { id: newId(), researcher_id: researcherId, ...issueSecretKey(RESEARCHER_KEY_PREFIX) }
}

export interface IssuedInvitation extends NewInvitation {
  /** Shown once, and never stored. */
  readonly token: string
}

export function issueInvitation(researcherId: string, days: number): IssuedInvitation {
  const token = randomBytes(INVITATION_TOKEN_BYTES).toString('base64url')
  const expires_at = new Date(Date.now() + days * DAY_MS).toISOString()
  return { id: newId(), researcher_id: researcherId, hash: sha256(token), expires_at, token }
}

/** The link, on the gate's own host. Behind the `#` no server sees the token, and no address that is passed on has it. */
export const invitationLink = (gateUrl: string, token: string): string =>
  `${gateUrl}${GATE_INVITATION_PATH}#token=${token}`
