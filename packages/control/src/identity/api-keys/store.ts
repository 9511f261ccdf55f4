import type { Role } from '@sallyport/contract'
import type { Transaction } from '../../database/database.ts'
import { millisecondsOf } from '../../database/types.ts'
import type { StoredApiKey } from './api-keys.ts'

interface Row {
  readonly id: string
  readonly orgId: string
  readonly role: Role
  readonly createdByEmail: string
  readonly hash: string
  readonly expiresAt: string | null
}

/** Across organizations: keys in force whose text begins so. */
export async function findApiKeys(tx: Transaction, lookup: string): Promise<StoredApiKey[]> {
  const rows = await tx.query<Row>(
    `SELECT id, org_id AS "orgId", role, created_by_email AS "createdByEmail", hash, expires_at AS "expiresAt"
     FROM api_keys WHERE lookup = $1 AND revoked_at IS NULL`,
    [lookup],
  )
  return rows.map((row) => ({ ...row, expiresAt: millisecondsOf(row.expiresAt) }))
}

/** Times only go forward, whichever process writes first. The version of a key stays: its use is no change of it. */
export const recordKeyUses = (
  tx: Transaction,
  orgId: string,
  usedAt: ReadonlyMap<string, number>,
): Promise<unknown> =>
  tx.query(
    `UPDATE api_keys SET last_used_at = used.at
     FROM unnest($2::uuid[], $3::timestamptz[]) AS used (id, at)
     WHERE org_id = $1 AND api_keys.id = used.id AND (last_used_at IS NULL OR last_used_at < used.at)`,
    [orgId, [...usedAt.keys()], [...usedAt.values()].map((at) => new Date(at).toISOString())],
  )
