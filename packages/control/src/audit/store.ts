/** SQL of the audit log and its head. */
import type { ChangeMark } from '@sallyport/contract'
import type { Transaction } from '../database/database.ts'
import { firstRow, firstValue } from '../database/rows.ts'
import { CHAIN_START, type ChainPosition } from './chain.ts'

export interface AuditEntryRow extends ChainPosition {
  readonly entry: string
}

export interface AuditRow extends AuditEntryRow {
  readonly time: string
  readonly actor: string
  readonly action: string
  readonly target: string
}

export interface AuditRange {
  /** Entries after this one; all unless given. */
  readonly after?: number
  /** To the last entry that was made by then. Times may run against the order of the entries, where two were made at once. */
  readonly until?: Date
}

const ROWS_A_PAGE = 1_000

/** The log of one organization in its order, page by page. */
export async function* readAuditPages(
  tx: Transaction,
  orgId: string,
  { after = 0, until }: AuditRange = {},
): AsyncGenerator<AuditRow[]> {
  let last = after
  for (;;) {
    const rows = await tx.query<AuditRow>(
      `SELECT sequence, entry, encode(hash, 'hex') AS hash, time, actor, action, target FROM audit_log
       WHERE org_id = $1 AND sequence > $2 AND ($3::timestamptz IS NULL
         OR sequence <= (SELECT max(sequence) FROM audit_log WHERE org_id = $1 AND time <= $3))
       ORDER BY sequence LIMIT ${ROWS_A_PAGE}`,
      [orgId, last, until?.toISOString() ?? null],
    )
    yield rows
    if (rows.length < ROWS_A_PAGE) return
    last = rows.at(-1)?.sequence ?? last
  }
}

/** The last entry of an organization's log, as the row of its own says that moves with it. */
export const readAuditHead = async (tx: Transaction, orgId: string): Promise<ChainPosition> =>
  (await firstRow<ChainPosition>(
    tx,
    `SELECT sequence, encode(hash, 'hex') AS hash FROM audit_heads WHERE org_id = $1`,
    [orgId],
  )) ?? CHAIN_START

export const countAuditRows = async (tx: Transaction, orgId: string): Promise<number> =>
  (await firstValue(tx, 'SELECT count(*) FROM audit_log WHERE org_id = $1', [orgId])) ?? 0

export interface AuditFilter {
  readonly actor: string | undefined
  readonly action: string | undefined
  readonly target: string | undefined
  readonly gte: string | undefined
  readonly lt: string | undefined
}

/** Newest first, up to `limit` + 1 before the entry given. */
export const listAuditEntries = (
  tx: Transaction,
  orgId: string,
  filter: AuditFilter,
  before: number | null,
  limit: number,
): Promise<AuditEntryRow[]> =>
  tx.query<AuditEntryRow>(
    `SELECT sequence, entry, encode(hash, 'hex') AS hash FROM audit_log
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

/** Newest first, without what the things were before and after, which may be large. */
export const listChangeMarks = (
  tx: Transaction,
  orgId: string,
  { gte, lte }: { readonly gte: string; readonly lte: string },
  limit: number,
): Promise<ChangeMark[]> =>
  tx.query<ChangeMark>(
    `SELECT sequence, time, action, entry::json -> 'actor' AS actor, entry::json -> 'target' AS target
     FROM audit_log WHERE org_id = $1 AND time >= $2 AND time <= $3
     ORDER BY time DESC, sequence DESC LIMIT $4`,
    [orgId, gte, lte, limit],
  )
