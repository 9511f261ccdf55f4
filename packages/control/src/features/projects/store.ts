/** SQL of projects and their items. */
import { columnList, flag, integer, type RowOf, text, textOrNull } from '../../database/columns.ts'
import type { Transaction } from '../../database/database.ts'
import { rowInserter, rowsById, rowUpdater } from '../../database/rows.ts'
import { containing, type ListRows } from '../../http/request/paging.ts'

const PROJECT = {
  name: textOrNull,
  type: textOrNull,
  description: textOrNull,
  note: textOrNull,
  launch_date: textOrNull,
  end_date: textOrNull,
  owner: textOrNull,
  vendor: textOrNull,
  report_deadline: textOrNull,
  is_retest_needed: flag,
  retesting_launch: textOrNull,
  retesting_end: textOrNull,
  access_type: textOrNull,
  location: textOrNull,
}
const ITEM = {
  project_id: textOrNull,
  name: textOrNull,
  type: textOrNull,
  access_type: textOrNull,
  location: textOrNull,
}
/** What no change may set. */
const STORED = { id: text, org_id: text, created_by: textOrNull, created_at: text, version: integer }
/** What a creation sets beside what is asked for. */
const CREATED = { id: text, created_by: text }
type Created = RowOf<typeof CREATED>

export type ProjectColumns = RowOf<typeof PROJECT>
export type ItemColumns = RowOf<typeof ITEM>
export type ProjectRow = ProjectColumns & RowOf<typeof STORED>
export type ItemRow = ItemColumns & RowOf<typeof STORED>

const PROJECT_COLUMNS = columnList({ ...STORED, ...PROJECT }).names
const ITEM_COLUMNS = columnList({ ...STORED, ...ITEM }).names

export interface ListFilter {
  readonly search?: string | undefined
  readonly type?: string | undefined
}

const filterValues = ({ search, type }: ListFilter): unknown[] => [containing(search), type ?? null]

export const listProjects: ListRows<ProjectRow, ListFilter> = (tx, orgId, filter, page) =>
  tx.query(
    `SELECT ${PROJECT_COLUMNS} FROM projects
     WHERE org_id = $1 AND ($2::uuid IS NULL OR id < $2)
       AND ($3::text IS NULL OR name ILIKE $3 OR owner ILIKE $3 OR vendor ILIKE $3)
       AND ($4::text IS NULL OR type = $4)
     ORDER BY id DESC LIMIT $5`,
    [orgId, page.after, ...filterValues(filter), page.limit + 1],
  )

/** Of one project, or of all where `projectId` is null. */
export const listItems: ListRows<ItemRow, ListFilter & { readonly projectId: string | null }> = (
  tx,
  orgId,
  { projectId, ...filter },
  page,
) =>
  tx.query(
    `SELECT ${ITEM_COLUMNS} FROM project_items
     WHERE org_id = $1 AND ($2::uuid IS NULL OR project_id = $2) AND ($3::uuid IS NULL OR id < $3)
       AND ($4::text IS NULL OR name ILIKE $4 OR location ILIKE $4)
       AND ($5::text IS NULL OR type = $5)
     ORDER BY id DESC LIMIT $6`,
    [orgId, projectId, page.after, ...filterValues(filter), page.limit + 1],
  )

export const { find: findProject, lock: lockProject } = rowsById<ProjectRow>('projects', PROJECT_COLUMNS)

export const insertProject = rowInserter<ProjectRow, ProjectColumns & Created>(
  'projects',
  columnList({ ...CREATED, ...PROJECT }),
  PROJECT_COLUMNS,
)

/** Replaces a (locked) project. */
export const replaceProject = rowUpdater<ProjectRow, ProjectColumns>(
  'projects',
  columnList(PROJECT),
  PROJECT_COLUMNS,
)

/** Raises the versions of the items of a (locked) project, but for one: each shows the project, and is sent back with it. */
export const raiseItemVersions = (
  tx: Transaction,
  orgId: string,
  projectId: string,
  exceptId: string | null,
): Promise<unknown> =>
  tx.query(
    `UPDATE project_items SET version = version + 1
     WHERE org_id = $1 AND project_id = $2 AND id IS DISTINCT FROM $3::uuid`,
    [orgId, projectId, exceptId],
  )

/** Its items go with it; returns how many. */
export async function deleteProject(tx: Transaction, orgId: string, id: string): Promise<number> {
  const [items] = await Promise.all([
    tx.query('DELETE FROM project_items WHERE org_id = $1 AND project_id = $2 RETURNING id', [orgId, id]),
    tx.query('DELETE FROM projects WHERE org_id = $1 AND id = $2', [orgId, id]),
  ])
  return items.length
}

export const {
  find: findItem,
  lock: lockItem,
  remove: deleteItem,
} = rowsById<ItemRow>('project_items', ITEM_COLUMNS)

export const insertItem = rowInserter<ItemRow, ItemColumns & Created>(
  'project_items',
  columnList({ ...CREATED, ...ITEM }),
  ITEM_COLUMNS,
)

/** Replaces a (locked) item. */
export const replaceItem = rowUpdater<ItemRow, ItemColumns>('project_items', columnList(ITEM), ITEM_COLUMNS)
