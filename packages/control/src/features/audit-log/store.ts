/** SQL of the audit log. */
import type { Transaction } from '../../database/database.ts'

export interface AuditRow {
  readonly sequence: number
  readonly entry: string
  readonly hash: Buffer
}

export interface AuditFilter {
  readonly actor: string | undefined
  readonly action: string | undefined
  readonly target: string | undefined
  readonly gte: string | undefined
  readonly lt: string | undefined
}

/** Newest first, up to `limit` + 1 before the entry given. */
export const listEntries = (
  tx: Transaction,
  orgId: string,
  filter: AuditFilter,
  before: number | null,
  limit: number,
): Promise<AuditRow[]> =>
  tx.query<AuditRow>(
    `SELECT sequence, entry, hash FROM audit_log
     WHERE org_id = $1 AND ($2::bigint IS NULL OR sequence < $2) AND ($3::text IS NULL OR actor = $3)
       AND ($4::text IS NULL OR action = $4 OR starts_with(action, $4 || '.'))
       AND ($5::text IS NULL OR target = $5)
       AND ($6::timestamptz IS NULL OR time >= $6) AND ($7::timestamptz IS NULL OR time < $7)
     ORDER BY sequence DESC LIMIT $8`,
    [
      orgId,
      before,
      filter.actor ?? null,
      filter.action ?? null,
      filter.target ?? null,
      filter.gte ?? null,
      filter.lt ?? null,
      limit + 1,
    ],
  )
