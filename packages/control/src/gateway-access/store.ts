/** SQL of the gateways that have credentials of their own, and of the tokens that enrol them. Hashes are SHA-256 in hex. */
import {
  CREDENTIAL_DAYS,
  CREDENTIAL_OVERLAP_SECONDS,
  CREDENTIAL_RENEWAL_DAYS,
  ENROLMENT_TOKEN_MINUTES,
} from '@sallyport/contract'
import type { Transaction } from '../database/database.ts'
import { firstRow, firstValue, hasRows } from '../database/rows.ts'
import { invalid } from '../errors.ts'

/** On it, processes hear that something of this has changed. */
export const GATEWAY_ACCESS_CHANNEL = 'sallyport_gateway_access'

/** In place of a revision: a gateway that nobody knew before was told nothing before. */
const TOLD_NOTHING = -1
const FORGET_TOKENS_AFTER_DAYS = 1
const FORGET_CREDENTIALS_AFTER_DAYS = 400

/** A credential, as of now. */
export interface CredentialRow {
  readonly hash: string
  readonly gateway_id: string
  readonly left_ms: number
  /** Asked for and not shown yet. */
  readonly is_new: boolean
  readonly is_due: boolean
  readonly is_superseded: boolean
  readonly is_revoked: boolean
  /** What its gateway serves; null for everything. */
  readonly org_ids: readonly string[] | null
  /** The revision of the configuration when it was enrolled; -1 of one that nobody knew before. */
  readonly enrolled_revision: number
}

const CREDENTIALS = `
  SELECT c.hash, c.gateway_id,
    (extract(epoch FROM c.ends_at - clock_timestamp()) * 1000)::float8 AS left_ms,
    c.first_used_at IS NULL AS is_new,
    c.issued_at < now() - interval '${CREDENTIAL_RENEWAL_DAYS} days' AS is_due,
    c.superseded_at IS NOT NULL AS is_superseded,
    g.revoked_at IS NOT NULL AS is_revoked,
    g.org_ids, g.enrolled_revision
  FROM gateway_credentials c JOIN enrolled_gateways g USING (gateway_id)`

/** Those that hold now. */
export const listCredentials = (tx: Transaction): Promise<CredentialRow[]> =>
  tx.query<CredentialRow>(`${CREDENTIALS} WHERE g.revoked_at IS NULL AND c.ends_at > now()`)

/** Also one that does not hold any more. */
export const findCredential = (tx: Transaction, hash: string): Promise<CredentialRow | undefined> =>
  firstRow(tx, `${CREDENTIALS} WHERE c.hash = $1`, [hash])

/** Whether it lets its gateway in: neither revoked nor replaced nor over. */
export const holds = (tx: Transaction, hash: string): Promise<boolean> =>
  hasRows(
    tx,
    `${CREDENTIALS} WHERE c.hash = $1 AND g.revoked_at IS NULL AND c.superseded_at IS NULL AND c.ends_at > now()`,
    [hash],
  )

export interface EnrolledGateway {
  readonly id: string
  readonly enrolledAt: string
  readonly revokedAt: string | null
  /** The organizations that it serves; null for all. */
  readonly organizations: readonly string[] | null
  /** `enrolled_revision` of its credentials. */
  readonly enrolledRevision: number
}

export const listEnrolled = (tx: Transaction): Promise<EnrolledGateway[]> =>
  tx.query<EnrolledGateway>(
    `SELECT gateway_id AS id, enrolled_at AS "enrolledAt", revoked_at AS "revokedAt", org_ids AS organizations,
       enrolled_revision AS "enrolledRevision"
     FROM enrolled_gateways ORDER BY gateway_id`,
  )

/** Has everybody else who would change what this gateway shows wait. False where it is not let in. */
const lockGateway = (tx: Transaction, gatewayId: string): Promise<boolean> =>
  hasRows(tx, 'SELECT 1 FROM enrolled_gateways WHERE gateway_id = $1 AND revoked_at IS NULL FOR UPDATE', [
    gatewayId,
  ])

/** Gives a gateway a credential. Throws a 400 for one that is, or was, a gateway's: it is to be new. */
async function insertCredential(tx: Transaction, gatewayId: string, hash: string, isUsed: boolean) {
  const isNew = await hasRows(
    tx,
    `INSERT INTO gateway_credentials (hash, gateway_id, ends_at, first_used_at)
     VALUES ($1, $2, now() + interval '${CREDENTIAL_DAYS} days', CASE WHEN $3 THEN now() END)
     ON CONFLICT (hash) DO NOTHING RETURNING 1`,
    [hash, gatewayId, isUsed],
  )
  if (!isNew) throw invalid('/credentialHash', 'is that of a credential that is known already')
}

/** Makes the gateway one that is enrolled, with this credential alone. False where it is one already and may not be again. */
export async function enroll(
  tx: Transaction,
  gatewayId: string,
  hash: string,
  { gateway_id: mayReplace, org_ids: orgIds }: Pick<TokenRow, 'gateway_id' | 'org_ids'>,
): Promise<boolean> {
  const isEnrolled = await hasRows(
    tx,
    `INSERT INTO enrolled_gateways AS known (gateway_id, org_ids, enrolled_revision)
     SELECT $1, $3::uuid[], CASE WHEN EXISTS (SELECT 1 FROM gateways WHERE id = $1) THEN revision ELSE ${TOLD_NOTHING} END
     FROM installation
     ON CONFLICT (gateway_id) DO UPDATE SET enrolled_at = now(), revoked_at = NULL, org_ids = excluded.org_ids,
       enrolled_revision = (SELECT revision FROM installation) WHERE $2 RETURNING 1`,
    [gatewayId, mayReplace !== null, orgIds],
  )
  if (!isEnrolled) return false
  await tx.query(
    `UPDATE gateway_credentials SET ends_at = least(ends_at, now()), superseded_at = coalesce(superseded_at, now())
     WHERE gateway_id = $1`,
    [gatewayId],
  )
  await insertCredential(tx, gatewayId, hash, true)
  await announce(tx)
  return true
}

/**
 * Notes the next credential of a gateway that shows the present one, in place of one that it asked for and never showed. `known` where
 * it was noted before; `refused` where the present one has ended or a later one was shown, also a moment ago: from what an older copy
 * holds nothing follows.
 */
export async function insertNextCredential(
  tx: Transaction,
  gatewayId: string,
  present: string,
  hash: string,
): Promise<'noted' | 'known' | 'refused'> {
  const isLetIn = await lockGateway(tx, gatewayId)
  const isPresent = await hasRows(
    tx,
    'SELECT 1 FROM gateway_credentials WHERE hash = $1 AND superseded_at IS NULL AND ends_at > now()',
    [present],
  )
  if (!isLetIn || !isPresent) return 'refused'
  if (await hasRows(tx, 'SELECT 1 FROM gateway_credentials WHERE hash = $1', [hash])) return 'known'
  await tx.query(
    'DELETE FROM gateway_credentials WHERE gateway_id = $1 AND first_used_at IS NULL AND hash <> $2',
    [gatewayId, present],
  )
  await insertCredential(tx, gatewayId, hash, false)
  return 'noted'
}

/**
 * A credential is shown for the first time: those before it end soon. False, and nothing ends, where it was shown before or is none
 * any more.
 */
export async function replaceBy(tx: Transaction, gatewayId: string, hash: string): Promise<boolean> {
  const isFirst =
    (await lockGateway(tx, gatewayId)) &&
    (await hasRows(
      tx,
      `UPDATE gateway_credentials SET first_used_at = now()
       WHERE hash = $1 AND first_used_at IS NULL AND superseded_at IS NULL RETURNING 1`,
      [hash],
    ))
  if (!isFirst) return false
  await tx.query(
    `UPDATE gateway_credentials SET superseded_at = now(),
       ends_at = least(ends_at, now() + interval '${CREDENTIAL_OVERLAP_SECONDS} seconds')
     WHERE gateway_id = $1 AND hash <> $2 AND superseded_at IS NULL`,
    [gatewayId, hash],
  )
  await announce(tx)
  return true
}

/** False where there is no such gateway that is let in. */
export async function revoke(tx: Transaction, gatewayId: string): Promise<boolean> {
  const isRevoked = await hasRows(
    tx,
    'UPDATE enrolled_gateways SET revoked_at = now() WHERE gateway_id = $1 AND revoked_at IS NULL RETURNING 1',
    [gatewayId],
  )
  if (isRevoked) await announce(tx)
  return isRevoked
}

/** Those of the ids that no organization has. */
export const findUnknown = async (tx: Transaction, ids: readonly string[]): Promise<string[]> =>
  (
    await tx.query<{ id: string }>(
      `SELECT id FROM unnest($1::text[]) AS named (id)
       WHERE NOT EXISTS (SELECT 1 FROM organizations WHERE org_id::text = id)`,
      [ids],
    )
  ).map(({ id }) => id)

/** Keeps a token, and returns until when it may be used; forgets what is long over. */
export async function insertToken(
  tx: Transaction,
  token: {
    readonly hash: string
    readonly gatewayId: string | null
    readonly organizations: readonly string[] | null
    readonly madeBy: string
  },
): Promise<string> {
  await tx.query(
    `DELETE FROM gateway_enrolment_tokens WHERE ends_at < now() - interval '${FORGET_TOKENS_AFTER_DAYS} days'`,
  )
  await tx.query(
    `DELETE FROM gateway_credentials WHERE superseded_at < now() - interval '${FORGET_CREDENTIALS_AFTER_DAYS} days'`,
  )
  const ends = await firstValue<string>(
    tx,
    `INSERT INTO gateway_enrolment_tokens (hash, gateway_id, made_by, org_ids, ends_at)
     VALUES ($1, $2, $3, $4, now() + interval '${ENROLMENT_TOKEN_MINUTES} minutes') RETURNING ends_at`,
    [token.hash, token.gatewayId, token.madeBy, token.organizations],
  )
  return ends ?? ''
}

export interface TokenRow {
  readonly gateway_id: string | null
  readonly org_ids: readonly string[] | null
  readonly made_by: string
  readonly used_for: string | null
  readonly is_ended: boolean
}

const TOKEN = `SELECT gateway_id, org_ids, made_by, used_for, ends_at <= now() AS is_ended
  FROM gateway_enrolment_tokens WHERE hash = $1`

export const findToken = (tx: Transaction, hash: string): Promise<TokenRow | undefined> =>
  firstRow(tx, TOKEN, [hash])

/** The same, held until the transaction ends. */
export const lockToken = (tx: Transaction, hash: string): Promise<TokenRow | undefined> =>
  firstRow(tx, `${TOKEN} FOR UPDATE`, [hash])

export const useToken = (tx: Transaction, hash: string, credentialHash: string) =>
  tx.query('UPDATE gateway_enrolment_tokens SET used_for = $2 WHERE hash = $1', [hash, credentialHash])

/** Has every process look again once this is committed. */
const announce = (tx: Transaction) => tx.query(`SELECT pg_notify('${GATEWAY_ACCESS_CHANNEL}', '')`)
