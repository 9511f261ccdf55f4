/** SQL of saved views. */
import { columnList, flag, integer, type RowOf, text } from '../../database/columns.ts'
import type { Transaction } from '../../database/database.ts'
import { firstValue, rowInserter, rowsById, rowUpdater } from '../../database/rows.ts'
import type { ListRows } from '../../http/request/paging.ts'

/** What a change may set. */
const CHANGED = { name: text, query: text, is_shared: flag }
const NEW = { id: text, ...CHANGED, created_by: text, created_by_email: text }
const ROW = { ...NEW, created_at: text, version: integer }
export type SavedViewChange = RowOf<typeof CHANGED>
export type NewSavedViewRow = RowOf<typeof NEW>
export type SavedViewRow = RowOf<typeof ROW>

const TABLE = 'saved_views'
const COLUMNS = columnList(ROW).names

/** Those that are shared, and those of one subject. */
export const listViews: ListRows<SavedViewRow, { readonly userId: string }> = (tx, orgId, { userId }, page) =>
  tx.query(
    `SELECT ${COLUMNS} FROM ${TABLE} WHERE org_id = $1 AND ($2::uuid IS NULL OR id < $2)
       AND (is_shared OR created_by = $4) ORDER BY id DESC LIMIT $3`,
    [orgId, page.after, page.limit + 1, userId],
  )

export const { find: findView, lock: lockView, remove: deleteView } = rowsById<SavedViewRow>(TABLE, COLUMNS)

export const insertView = rowInserter<SavedViewRow, NewSavedViewRow>(TABLE, columnList(NEW), COLUMNS)

export const updateView = rowUpdater<SavedViewRow, SavedViewChange>(TABLE, columnList(CHANGED), COLUMNS)

/** How many are shared, or are private ones of one subject. Locks the organization's row until the transaction ends, so that it stays so. */
export const countViews = async (
  tx: Transaction,
  orgId: string,
  ofSubject: string | null,
): Promise<number> => {
  await tx.query('SELECT 1 FROM organizations WHERE org_id = $1 FOR NO KEY UPDATE', [orgId])
  const sql = `SELECT count(*)::int FROM ${TABLE} WHERE org_id = $1
    AND CASE WHEN $2::text IS NULL THEN is_shared ELSE NOT is_shared AND created_by = $2 END`
  return (await firstValue<number>(tx, sql, [orgId, ofSubject])) ?? 0
}
