/** What the identity provider keeps in PostgreSQL beside accounts: artifacts and signing keys. */
import type { Database, Transaction } from '../../database/database.ts'
import type { ArtifactStore, FoundArtifact } from './adapter.ts'

const FOUND = 'SELECT id_hash AS "idHash", sealed, consumed_at AS "consumedAt" FROM identity_artifacts'

/** Each call is a transaction of its own, as the library asks for one thing at a time. */
export function createArtifactStore(database: Pick<Database, 'writeInstallation'>): ArtifactStore {
  const run = <Row>(text: string, values: readonly unknown[]): Promise<Row[]> =>
    database.writeInstallation((tx) => tx.query<Row>(text, values))
  const find = async (column: 'id_hash' | 'uid_hash', ...values: readonly [model: string, hash: string]) => {
    const text = `${FOUND} WHERE model = $1 AND ${column} = $2 AND expires_at > now()`
    const [found] = await run<FoundArtifact>(text, values)
    return found
  }
  return {
    async save(artifact) {
      await run(
        `INSERT INTO identity_artifacts (model, id_hash, uid_hash, grant_id, account_id, sealed, expires_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7)
         ON CONFLICT (model, id_hash) DO UPDATE SET uid_hash = excluded.uid_hash, grant_id = excluded.grant_id,
           account_id = excluded.account_id, sealed = excluded.sealed, expires_at = excluded.expires_at`,
        [
          artifact.model,
          artifact.idHash,
          artifact.uidHash,
          artifact.grantId,
          artifact.accountId,
          artifact.sealed,
          artifact.expiresAt.toISOString(),
        ],
      )
    },
    findById: (model, idHash) => find('id_hash', model, idHash),
    findByUid: (model, uidHash) => find('uid_hash', model, uidHash),
    async consume(model, idHash) {
      const consumed = await run(
        `UPDATE identity_artifacts SET consumed_at = now()
         WHERE model = $1 AND id_hash = $2 AND consumed_at IS NULL RETURNING model`,
        [model, idHash],
      )
      return consumed.length === 1
    },
    async remove(model, idHash) {
      await run('DELETE FROM identity_artifacts WHERE model = $1 AND id_hash = $2', [model, idHash])
    },
    async removeByGrant(grantId) {
      await run('DELETE FROM identity_artifacts WHERE grant_id = $1', [grantId])
    },
  }
}

export interface SigningKeyRow {
  readonly kid: string
  readonly sealed: string
  /** ISO 8601. */
  readonly signsFrom: string
}

/** One process at a time decides about keys; the lock ends with the transaction. */
export const lockSigningKeys = (tx: Transaction): Promise<unknown> =>
  tx.query('LOCK TABLE identity_signing_keys IN SHARE ROW EXCLUSIVE MODE')

/** The newest first. */
export const listSigningKeys = (tx: Transaction): Promise<SigningKeyRow[]> =>
  tx.query<SigningKeyRow>(
    'SELECT kid, sealed, signs_from AS "signsFrom" FROM identity_signing_keys ORDER BY signs_from DESC, kid',
  )

export const addSigningKey = (tx: Transaction, key: SigningKeyRow): Promise<unknown> =>
  tx.query('INSERT INTO identity_signing_keys (kid, sealed, signs_from) VALUES ($1, $2, $3)', [
    key.kid,
    key.sealed,
    key.signsFrom,
  ])

export const removeSigningKeys = (tx: Transaction, kids: readonly string[]): Promise<unknown> =>
  tx.query('DELETE FROM identity_signing_keys WHERE kid = ANY ($1::text[])', [kids])

/** Removes what has expired: artifacts, and counters of attempts whose window has passed. */
export async function removeExpired(tx: Transaction, attemptsWindowMs: number): Promise<void> {
  await tx.query('DELETE FROM identity_artifacts WHERE expires_at < now()')
  await tx.query(`DELETE FROM sign_in_attempts WHERE started_at < now() - $1 * interval '1 ms'`, [
    attemptsWindowMs,
  ])
}
