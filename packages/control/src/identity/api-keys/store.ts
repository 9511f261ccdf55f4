/** SQL of API keys. A key is in force until it is revoked or expires; others are kept for the record. */
import type { Role } from '@sallyport/contract'
import { columnList, columnOf, integer, type RowOf, text, textOrNull } from '../../database/columns.ts'
import type { Transaction } from '../../database/database.ts'
import { firstRow, hasRows, rowInserter, rowUpdater } from '../../database/rows.ts'
import { millisecondsOf } from '../../database/types.ts'
import { containing, type ListRows } from '../../http/request/paging.ts'
import type { StoredApiKey } from './api-key-verifier.ts'

const SHOWN = {
  id: text,
  name: text,
  role: columnOf<Role>(),
  lookup: text,
  expires_at: textOrNull,
  created_by_email: text,
}
const NEW = { ...SHOWN, hash: text, created_by: text }
const ROW = { ...SHOWN, created_at: text, last_used_at: textOrNull, revoked_at: textOrNull, version: integer }
export type NewApiKeyRow = RowOf<typeof NEW>
export type ApiKeyRow = RowOf<typeof ROW>

const COLUMNS = columnList(ROW).names
const IN_FORCE = 'revoked_at IS NULL AND (expires_at IS NULL OR expires_at > now())'

interface VerifiedRow extends Pick<ApiKeyRow, 'id' | 'role' | 'created_by_email' | 'expires_at'> {
  readonly org_id: string
  readonly hash: string
}

/** Across organizations: keys, not revoked, whose text begins so. */
export async function findApiKeys(tx: Transaction, lookup: string): Promise<StoredApiKey[]> {
  const rows = await tx.query<VerifiedRow>(
    `SELECT id, org_id, role, created_by_email, hash, expires_at FROM api_keys
     WHERE lookup = $1 AND revoked_at IS NULL`,
    [lookup],
  )
  return rows.map((row) => ({
    id: row.id,
    orgId: row.org_id,
    role: row.role,
    createdByEmail: row.created_by_email,
    hash: row.hash,
    expiresAt: millisecondsOf(row.expires_at),
  }))
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

/** Every key that there ever was, oldest first. */
export const listAllApiKeys = (tx: Transaction, orgId: string): Promise<ApiKeyRow[]> =>
  tx.query<ApiKeyRow>(`SELECT ${COLUMNS} FROM api_keys WHERE org_id = $1 ORDER BY id`, [orgId])

export interface ApiKeyFilter {
  readonly search?: string | undefined
  readonly role?: Role | undefined
}

/** Those in force. */
export const listApiKeys: ListRows<ApiKeyRow, ApiKeyFilter> = (tx, orgId, { search, role }, page) =>
  tx.query(
    `SELECT ${COLUMNS} FROM api_keys
     WHERE org_id = $1 AND ($2::uuid IS NULL OR id < $2) AND ${IN_FORCE}
       AND ($4::text IS NULL OR name ILIKE $4) AND ($5::text IS NULL OR role = $5) ORDER BY id DESC LIMIT $3`,
    [orgId, page.after, page.limit + 1, containing(search), role ?? null],
  )

export const findApiKey = (tx: Transaction, orgId: string, id: string): Promise<ApiKeyRow | undefined> =>
  firstRow(tx, `SELECT ${COLUMNS} FROM api_keys WHERE org_id = $1 AND id = $2 AND ${IN_FORCE}`, [orgId, id])

export const lockApiKey = (tx: Transaction, orgId: string, id: string): Promise<ApiKeyRow | undefined> =>
  firstRow(tx, `SELECT ${COLUMNS} FROM api_keys WHERE org_id = $1 AND id = $2 AND ${IN_FORCE} FOR UPDATE`, [
    orgId,
    id,
  ])

export const insertApiKey = rowInserter<ApiKeyRow, NewApiKeyRow>('api_keys', columnList(NEW), COLUMNS)

export const updateApiKey = rowUpdater<ApiKeyRow, Pick<ApiKeyRow, 'name' | 'expires_at'>>(
  'api_keys',
  columnList({ name: text, expires_at: textOrNull }),
  COLUMNS,
)

/** False where there is no such key, or it was revoked before. */
export const revokeApiKey = (tx: Transaction, orgId: string, id: string): Promise<boolean> =>
  hasRows(
    tx,
    `UPDATE api_keys SET revoked_at = now(), version = version + 1
       WHERE org_id = $1 AND id = $2 AND revoked_at IS NULL RETURNING id`,
    [orgId, id],
  )
