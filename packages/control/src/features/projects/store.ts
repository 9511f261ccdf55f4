/** SQL of projects and their items. */
import type { Transaction } from '../../database/database.ts'
import { containing, type PageRequest } from '../../http/request/paging.ts'

export interface ProjectColumns {
  readonly name: string | null
  readonly type: string | null
  readonly description: string | null
  readonly note: string | null
  readonly launch_date: string | null
  readonly end_date: string | null
  readonly owner: string | null
  readonly vendor: string | null
  readonly report_deadline: string | null
  readonly is_retest_needed: boolean
  readonly retesting_launch: string | null
  readonly retesting_end: string | null
  readonly access_type: string | null
  readonly location: string | null
}

interface Stored {
  readonly id: string
  readonly org_id: string
  readonly created_by: string | null
  readonly created_at: string
  readonly version: number
}

export type ProjectRow = ProjectColumns & Stored

export interface ItemColumns {
  readonly project_id: string | null
  readonly name: string | null
  readonly type: string | null
  readonly access_type: string | null
  readonly location: string | null
}

export type ItemRow = ItemColumns & Stored

const STORED = 'id, org_id, created_by, created_at, version'
const PROJECT_COLUMNS = `name, type, description, note, launch_date, end_date, owner, vendor, report_deadline,
  is_retest_needed, retesting_launch, retesting_end, access_type, location`
const ITEM_COLUMNS = 'project_id, name, type, access_type, location'

const projectValues = (project: ProjectColumns): unknown[] => [
  project.name,
  project.type,
  project.description,
  project.note,
  project.launch_date,
  project.end_date,
  project.owner,
  project.vendor,
  project.report_deadline,
  project.is_retest_needed,
  project.retesting_launch,
  project.retesting_end,
  project.access_type,
  project.location,
]

const itemValues = (item: ItemColumns): unknown[] => [
  item.project_id,
  item.name,
  item.type,
  item.access_type,
  item.location,
]

export interface ListFilter {
  readonly search: string | undefined
  readonly type: string | undefined
}

const filterValues = ({ search, type }: ListFilter): unknown[] => [
  search === undefined ? null : containing(search),
  type ?? null,
]

/** Newest first, up to `limit` + 1. */
export const listProjects = (
  tx: Transaction,
  orgId: string,
  filter: ListFilter,
  page: PageRequest,
): Promise<ProjectRow[]> =>
  tx.query<ProjectRow>(
    `SELECT ${STORED}, ${PROJECT_COLUMNS} FROM projects
     WHERE org_id = $1 AND ($2::uuid IS NULL OR id < $2)
       AND ($3::text IS NULL OR name ILIKE $3 OR owner ILIKE $3 OR vendor ILIKE $3)
       AND ($4::text IS NULL OR type = $4)
     ORDER BY id DESC LIMIT $5`,
    [orgId, page.after, ...filterValues(filter), page.limit + 1],
  )

/** Newest first, up to `limit` + 1. */
export const listItems = (
  tx: Transaction,
  orgId: string,
  projectId: string,
  filter: ListFilter,
  page: PageRequest,
): Promise<ItemRow[]> =>
  tx.query<ItemRow>(
    `SELECT ${STORED}, ${ITEM_COLUMNS} FROM project_items
     WHERE org_id = $1 AND project_id = $2 AND ($3::uuid IS NULL OR id < $3)
       AND ($4::text IS NULL OR name ILIKE $4 OR location ILIKE $4)
       AND ($5::text IS NULL OR type = $5)
     ORDER BY id DESC LIMIT $6`,
    [orgId, projectId, page.after, ...filterValues(filter), page.limit + 1],
  )

export async function findProject(
  tx: Transaction,
  orgId: string,
  id: string,
): Promise<ProjectRow | undefined> {
  const [row] = await tx.query<ProjectRow>(
    `SELECT ${STORED}, ${PROJECT_COLUMNS} FROM projects WHERE org_id = $1 AND id = $2`,
    [orgId, id],
  )
  return row
}

export async function lockProject(
  tx: Transaction,
  orgId: string,
  id: string,
): Promise<ProjectRow | undefined> {
  const [row] = await tx.query<ProjectRow>(
    `SELECT ${STORED}, ${PROJECT_COLUMNS} FROM projects WHERE org_id = $1 AND id = $2 FOR UPDATE`,
    [orgId, id],
  )
  return row
}

export async function insertProject(
  tx: Transaction,
  orgId: string,
  id: string,
  createdBy: string,
  project: ProjectColumns,
): Promise<ProjectRow> {
  const [row] = await tx.query<ProjectRow>(
    `INSERT INTO projects (org_id, id, created_by, ${PROJECT_COLUMNS})
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17)
     RETURNING ${STORED}, ${PROJECT_COLUMNS}`,
    [orgId, id, createdBy, ...projectValues(project)],
  )
  return required(row)
}

/** Replaces a (locked) project. */
export async function replaceProject(
  tx: Transaction,
  orgId: string,
  id: string,
  project: ProjectColumns,
): Promise<ProjectRow> {
  const [row] = await tx.query<ProjectRow>(
    `UPDATE projects SET (${PROJECT_COLUMNS}, version)
       = ($3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, version + 1)
     WHERE org_id = $1 AND id = $2 RETURNING ${STORED}, ${PROJECT_COLUMNS}`,
    [orgId, id, ...projectValues(project)],
  )
  return required(row)
}

/** Its items go with it; returns how many. */
export async function deleteProject(tx: Transaction, orgId: string, id: string): Promise<number> {
  const [items] = await Promise.all([
    tx.query('DELETE FROM project_items WHERE org_id = $1 AND project_id = $2 RETURNING id', [orgId, id]),
    tx.query('DELETE FROM projects WHERE org_id = $1 AND id = $2', [orgId, id]),
  ])
  return items.length
}

export async function findItem(tx: Transaction, orgId: string, id: string): Promise<ItemRow | undefined> {
  const [row] = await tx.query<ItemRow>(
    `SELECT ${STORED}, ${ITEM_COLUMNS} FROM project_items WHERE org_id = $1 AND id = $2`,
    [orgId, id],
  )
  return row
}

export async function lockItem(tx: Transaction, orgId: string, id: string): Promise<ItemRow | undefined> {
  const [row] = await tx.query<ItemRow>(
    `SELECT ${STORED}, ${ITEM_COLUMNS} FROM project_items WHERE org_id = $1 AND id = $2 FOR UPDATE`,
    [orgId, id],
  )
  return row
}

export async function insertItem(
  tx: Transaction,
  orgId: string,
  id: string,
  createdBy: string,
  item: ItemColumns,
): Promise<ItemRow> {
  const [row] = await tx.query<ItemRow>(
    `INSERT INTO project_items (org_id, id, created_by, ${ITEM_COLUMNS}) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
     RETURNING ${STORED}, ${ITEM_COLUMNS}`,
    [orgId, id, createdBy, ...itemValues(item)],
  )
  return required(row)
}

/** Replaces a (locked) item. */
export async function replaceItem(
  tx: Transaction,
  orgId: string,
  id: string,
  item: ItemColumns,
): Promise<ItemRow> {
  const [row] = await tx.query<ItemRow>(
    `UPDATE project_items SET (${ITEM_COLUMNS}, version) = ($3, $4, $5, $6, $7, version + 1)
     WHERE org_id = $1 AND id = $2 RETURNING ${STORED}, ${ITEM_COLUMNS}`,
    [orgId, id, ...itemValues(item)],
  )
  return required(row)
}

export async function deleteItem(tx: Transaction, orgId: string, id: string): Promise<void> {
  await tx.query('DELETE FROM project_items WHERE org_id = $1 AND id = $2', [orgId, id])
}

function required<Row>(row: Row | undefined): Row {
  if (row === undefined) throw new Error('a row that was just written is gone')
  return row
}
