/** SQL of how long organizations keep their record of traffic. */
import type { Transaction } from '../database/database.ts'

export interface RetentionRow {
  readonly orgId: string
  readonly days: number
  /** Whether what is stored should get it now. */
  readonly isDue: boolean
}

export const readRetentions = (tx: Transaction, settlingMs: number): Promise<RetentionRow[]> =>
  tx.query<RetentionRow>(
    `SELECT org_id AS "orgId", retention_days AS days, stored_retention_days <> retention_days
       AND retention_changed_at < now() - make_interval(secs => $1) AS "isDue" FROM organizations`,
    [settlingMs / 1_000],
  )

/** Under this number of days, what is stored of an organization has no retention that is known: somebody has begun to stamp it anew. */
const UNKNOWN = 0

/** What is stored is due until `noteStored`, whatever becomes of this process and whichever retention is chosen meanwhile. */
export const noteBegun = (tx: Transaction, { orgId }: RetentionRow): Promise<unknown> =>
  tx.query('UPDATE organizations SET stored_retention_days = $2 WHERE org_id = $1', [orgId, UNKNOWN])

/** Where it has changed again meanwhile, what is stored is not what is wanted, and another process may have noted otherwise. */
export const noteStored = (tx: Transaction, { orgId, days }: RetentionRow): Promise<unknown> =>
  tx.query(
    `UPDATE organizations SET stored_retention_days = CASE retention_days WHEN $2 THEN $2 ELSE $3 END
     WHERE org_id = $1`,
    [orgId, days, UNKNOWN],
  )
