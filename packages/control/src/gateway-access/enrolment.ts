/** Tokens that enrol gateways, their use, and the renewal and revocation of credentials. Who calls says in which log it is noted. */
import {
  type CredentialRenewal,
  ENROLMENT_TOKEN_PREFIX,
  type Enrolment,
  type EnrolmentRefusal,
} from '@sallyport/contract'
import type { ChangeTransaction, Database } from '../database/database.ts'
import { hashSecretKey, issueSecretKey } from '../identity/api-keys/secret-keys.ts'
import { changesBy } from '../operator/installation-log.ts'
import * as store from './store.ts'

/** A token as who made it is shown it, this once. */
export interface IssuedEnrolmentToken {
  readonly token: string
  /** The one gateway that it enrols; null for any that is not enrolled yet. */
  readonly gatewayId: string | null
  /** The organizations that the gateway will serve; null for all. */
  readonly organizations: readonly string[] | null
  readonly expires: string
}

/** What a token is good for. */
export type TokenPurpose = Pick<IssuedEnrolmentToken, 'gatewayId' | 'organizations'>

/** Makes a token, and records it in the transaction. */
export async function issueEnrolmentToken(
  tx: ChangeTransaction,
  { gatewayId, organizations }: TokenPurpose,
  madeBy: string,
): Promise<IssuedEnrolmentToken> {
  const { key: token, hash } = issueSecretKey(ENROLMENT_TOKEN_PREFIX)
  const expires = await store.insertToken(tx, { hash, gatewayId, organizations, madeBy })
  tx.record({
    action: 'gateway.makeToken',
    target: { kind: 'gateway', id: gatewayId ?? '' },
    before: null,
    after: { gatewayId, organizations, expires },
  })
  return { token, gatewayId, organizations, expires }
}

/** Ends every credential of a gateway, and records it in the transaction. False where it has none that holds. */
export async function revokeGateway(tx: ChangeTransaction, gatewayId: string): Promise<boolean> {
  if (!(await store.revoke(tx, gatewayId))) return false
  tx.record({
    action: 'gateway.revoke',
    target: { kind: 'gateway', id: gatewayId },
    before: { credential: 'own' },
    after: { credential: 'revoked' },
  })
  return true
}

/**
 * Uses a token up. In the log of the installation it is noted as what the token's maker did. Returns why it may not be, null where
 * the gateway is enrolled, also where it was by this very call before and still is.
 */
export async function enrollGateway(
  database: Database,
  { token, gatewayId, credentialHash }: Enrolment,
): Promise<EnrolmentRefusal | null> {
  const hash = hashSecretKey(token)
  const made = await database.readInstallation((tx) => store.findToken(tx, hash))
  if (!made) return 'token_unknown'
  return changesBy(
    database,
    made.made_by,
  )(async (tx): Promise<EnrolmentRefusal | null> => {
    const row = await store.lockToken(tx, hash)
    if (!row) return 'token_unknown'
    if (row.used_for === credentialHash) return (await store.holds(tx, credentialHash)) ? null : 'token_used'
    const refusal = refusalOf(row, gatewayId)
    if (refusal) return refusal
    if (!(await store.enroll(tx, gatewayId, credentialHash, row))) return 'name_taken'
    await store.useToken(tx, hash, credentialHash)
    tx.record({
      action: 'gateway.enroll',
      target: { kind: 'gateway', id: gatewayId },
      before: null,
      after: { gatewayId, organizations: row.org_ids, isReplacing: row.gateway_id !== null },
    })
    return null
  })
}

function refusalOf(token: store.TokenRow, gatewayId: string): EnrolmentRefusal | null {
  if (token.used_for !== null) return 'token_used'
  if (token.is_ended) return 'token_ended'
  return token.gateway_id === null || token.gateway_id === gatewayId ? null : 'other_name'
}

/** Notes the next credential of a gateway that shows the one with the hash `present`. False where that one is not in force now. */
export const renewCredential = (
  database: Database,
  { gatewayId, credentialHash }: CredentialRenewal,
  present: string,
): Promise<boolean> =>
  changesBy(
    database,
    gatewayId,
  )(async (tx) => {
    const noted = await store.insertNextCredential(tx, gatewayId, present, credentialHash)
    if (noted !== 'noted') return noted === 'known'
    tx.record({
      action: 'gateway.renewCredential',
      target: { kind: 'gateway', id: gatewayId },
      before: null,
      after: null,
    })
    return true
  })
