/** SQL of the checks of project items. */
import { columnList, columnOf, integer, type RowOf, text, textOrNull } from '../../../database/columns.ts'
import type { Transaction } from '../../../database/database.ts'
import { rowsById, rowUpdater } from '../../../database/rows.ts'
import { containing, type ListRows } from '../../../http/request/paging.ts'

/** What is tied: an operation, or a whole site where it names none. */
export interface StoredTie {
  readonly siteId: string
  readonly method?: string
  readonly template?: string
}

const CHANGED = {
  check_state: text,
  due_date: textOrNull,
  check_note: text,
  attack_classes: columnOf<readonly string[]>(),
  ties: columnOf<readonly StoredTie[]>(),
}
const ROW = {
  id: text,
  name: textOrNull,
  type: textOrNull,
  location: textOrNull,
  ...CHANGED,
  version: integer,
}
export type CheckColumns = RowOf<typeof CHANGED>
export type CheckRow = RowOf<typeof ROW>

const TABLE = 'project_items'
const COLUMNS = columnList(ROW).names

export const { find: findCheck, lock: lockCheck } = rowsById<CheckRow>(TABLE, COLUMNS)

const update = rowUpdater<CheckRow, Omit<CheckColumns, 'ties'> & { readonly ties: string }>(
  TABLE,
  columnList(CHANGED),
  COLUMNS,
)

/** Replaces the check of a (locked) item. The driver would write a list as an array of PostgreSQL, so ties are JSON by then. */
export const updateCheck = (tx: Transaction, orgId: string, id: string, { ties, ...rest }: CheckColumns) =>
  update(tx, orgId, id, { ...rest, ties: JSON.stringify(ties) })

interface CheckFilter {
  readonly projectId: string
  readonly search?: string | undefined
}

export const listChecks: ListRows<CheckRow, CheckFilter> = (tx, orgId, { projectId, search }, page) =>
  tx.query(
    `SELECT ${COLUMNS} FROM ${TABLE} WHERE org_id = $1 AND project_id = $2 AND ($3::uuid IS NULL OR id < $3)
       AND ($4::text IS NULL OR name ILIKE $4 OR location ILIKE $4)
     ORDER BY id DESC LIMIT $5`,
    [orgId, projectId, page.after, containing(search), page.limit + 1],
  )

/** The names of those of the sites that the organization has. */
export async function findSiteNames(
  tx: Transaction,
  orgId: string,
  ids: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const rows = await tx.query<{ readonly id: string; readonly gated_name: string }>(
    'SELECT id, gated_name FROM sites WHERE org_id = $1 AND id = ANY($2::uuid[])',
    [orgId, ids],
  )
  return new Map(rows.map((row) => [row.id, row.gated_name]))
}
