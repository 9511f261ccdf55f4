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

/** Unless it has changed again meanwhile. */
export const noteStored = (tx: Transaction, { orgId, days }: RetentionRow): Promise<unknown> =>
  tx.query('UPDATE organizations SET stored_retention_days = $2 WHERE org_id = $1 AND retention_days = $2', [
    orgId,
    days,
  ])
