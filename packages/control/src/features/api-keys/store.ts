/** SQL of API keys. A key is in force until it is revoked or expires; others are kept for the record, and not shown. */
import type { Role } from '@sallyport/contract'
import type { Transaction } from '../../database/database.ts'
import type { PageRequest } from '../../http/request/paging.ts'

export interface ApiKeyRow {
  readonly id: string
  readonly name: string
  readonly role: Role
  readonly lookup: string
  readonly expires_at: string | null
  readonly last_used_at: string | null
  readonly created_by_email: string
  readonly created_at: string
  readonly version: number
}

const COLUMNS = 'id, name, role, lookup, expires_at, last_used_at, created_by_email, created_at, version'
const IN_FORCE = 'revoked_at IS NULL AND (expires_at IS NULL OR expires_at > now())'

export interface ApiKeyFilter {
  /** Pattern for ILIKE. */
  readonly search: string | null
  readonly role: Role | null
}

/** Newest first, up to `limit` + 1. */
export const listApiKeys = (
  tx: Transaction,
  orgId: string,
  { search, role }: ApiKeyFilter,
  page: PageRequest,
): Promise<ApiKeyRow[]> =>
  tx.query<ApiKeyRow>(
    `SELECT ${COLUMNS} FROM api_keys
     WHERE org_id = $1 AND ($2::uuid IS NULL OR id < $2) AND ${IN_FORCE}
       AND ($4::text IS NULL OR name ILIKE $4) AND ($5::text IS NULL OR role = $5) ORDER BY id DESC LIMIT $3`,
    [orgId, page.after, page.limit + 1, search, role],
  )

export async function findApiKey(tx: Transaction, orgId: string, id: string): Promise<ApiKeyRow | undefined> {
  const [row] = await tx.query<ApiKeyRow>(
    `SELECT ${COLUMNS} FROM api_keys WHERE org_id = $1 AND id = $2 AND ${IN_FORCE}`,
    [orgId, id],
  )
  return row
}

export async function lockApiKey(tx: Transaction, orgId: string, id: string): Promise<ApiKeyRow | undefined> {
  const [row] = await tx.query<ApiKeyRow>(
    `SELECT ${COLUMNS} FROM api_keys WHERE org_id = $1 AND id = $2 AND ${IN_FORCE} FOR UPDATE`,
    [orgId, id],
  )
  return row
}

export interface NewApiKeyRow {
  readonly id: string
  readonly name: string
  readonly role: Role
  readonly lookup: string
  readonly hash: string
  readonly expires_at: string | null
  readonly created_by: string
  readonly created_by_email: string
}

export async function insertApiKey(tx: Transaction, orgId: string, key: NewApiKeyRow): Promise<ApiKeyRow> {
  const [row] = await tx.query<ApiKeyRow>(
    `INSERT INTO api_keys (org_id, id, name, role, lookup, hash, expires_at, created_by, created_by_email)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) RETURNING ${COLUMNS}`,
    [
      orgId,
      key.id,
      key.name,
      key.role,
      key.lookup,
      key.hash,
      key.expires_at,
      key.created_by,
      key.created_by_email,
    ],
  )
  if (!row) throw new Error('an inserted API key is gone')
  return row
}

export async function updateApiKey(
  tx: Transaction,
  orgId: string,
  id: string,
  columns: Pick<ApiKeyRow, 'name' | 'expires_at'>,
): Promise<ApiKeyRow> {
  const [row] = await tx.query<ApiKeyRow>(
    `UPDATE api_keys SET name = $3, expires_at = $4, version = version + 1
     WHERE org_id = $1 AND id = $2 RETURNING ${COLUMNS}`,
    [orgId, id, columns.name, columns.expires_at],
  )
  if (!row) throw new Error('a locked API key is gone')
  return row
}

export const revokeApiKey = (tx: Transaction, orgId: string, id: string): Promise<unknown> =>
  tx.query('UPDATE api_keys SET revoked_at = now(), version = version + 1 WHERE org_id = $1 AND id = $2', [
    orgId,
    id,
  ])
