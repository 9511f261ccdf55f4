/** Test projects and their items: created, replaced whole, removed. */
import type { Page, Project, ProjectInput, ProjectItem, ProjectItemInput } from '@sallyport/contract'
import { changedFields, isUnchanged } from '../../audit/changed-fields.ts'
import { type ChangeTransaction, type Database, newId, type Transaction } from '../../database/database.ts'
import { invalid, notFound } from '../../errors.ts'
import { bindDependencies } from '../../http/bind-dependencies.ts'
import { type RequestContext, requireVersion } from '../../http/context.ts'
import type { QueryOf, Versioned } from '../../http/handlers.ts'
import { pageOfRows, readPage } from '../../http/request/paging.ts'
import { listPage, lockForChange, readRow, readRowWith, requireRow } from '../../http/rows.ts'
import { presentCheck } from './checks/check-view.ts'
import { findCheck } from './checks/store.ts'
import { itemColumns, presentItem, presentProject, projectColumns } from './project-view.ts'
import * as store from './store.ts'

export interface ProjectDeps {
  readonly database: Database
}

/** More items than this are listed page by page only. */
const WHOLE_LIST_MAX = 10_000

type ListQuery = QueryOf<'projectsList'>

const list = ({ database }: ProjectDeps, { orgId }: RequestContext, query: ListQuery) =>
  listPage(database, orgId, query, (tx, page) => store.listProjects(tx, orgId, query, page), presentProject)

const get = async ({ database }: ProjectDeps, { orgId }: RequestContext, id: string) =>
  versionedProject(await readRow(database, orgId, id, store.findProject))

async function create({ database }: ProjectDeps, context: RequestContext, body: ProjectInput) {
  requireOwn(body.orgId, context)
  if (body.id != null) throw invalid('/id', 'is made by the server')
  const row = await database.change(context, async (tx) => {
    const created = await store.insertProject(tx, context.orgId, newRow(context, projectColumns(body)))
    const target = { kind: 'project', id: created.id }
    tx.record({ action: 'project.create', target, before: null, after: presentProject(created) })
    return created
  })
  return versionedProject(row)
}

async function replace({ database }: ProjectDeps, context: RequestContext, id: string, body: ProjectInput) {
  requireOwn(body.orgId, context)
  if (body.id != null && body.id !== id) throw invalid('/id', 'is not the id of the path')
  const row = await database.change(context, async (tx) => {
    const before = await lockForChange(store.lockProject, tx, context, id)
    const after = await store.replaceProject(tx, context.orgId, id, projectColumns(body))
    const changed = changedFields(presentProject(before), presentProject(after))
    if (isUnchanged(changed)) return before
    await store.raiseItemVersions(tx, context.orgId, id, null)
    tx.record({ action: 'project.replace', target: { kind: 'project', id }, ...changed })
    return after
  })
  return versionedProject(row)
}

async function remove({ database }: ProjectDeps, context: RequestContext, id: string): Promise<void> {
  await database.change(context, async (tx) => {
    const row = await lockForChange(store.lockProject, tx, context, id)
    const items = await store.deleteProject(tx, context.orgId, id)
    const before = { ...presentProject(row), items }
    tx.record({ action: 'project.delete', target: { kind: 'project', id }, before, after: null })
  })
}

async function pageOfItems(
  { database }: ProjectDeps,
  { orgId }: RequestContext,
  id: string,
  query: ListQuery,
): Promise<Page<ProjectItem>> {
  const page = readPage(query, query.limit)
  const listed = (tx: Transaction) => store.listItems(tx, orgId, { ...query, projectId: id }, page)
  const [project, rows] = await readRowWith(database, orgId, id, store.findProject, listed)
  return pageOfRows(
    rows,
    page.limit,
    (row) => row.id,
    (row) => presentItem(row, project),
  )
}

/** The items of all projects, and of none. */
async function listAllItems(
  { database }: ProjectDeps,
  { orgId }: RequestContext,
  query: QueryOf<'projectsListAllItems'>,
) {
  const page = readPage(query, WHOLE_LIST_MAX)
  const rows = await database.read(orgId, (tx) => store.listItems(tx, orgId, { projectId: null }, page))
  return pageOfRows(
    rows,
    page.limit,
    (row) => row.id,
    (row) => presentItem(row, undefined),
  )
}

async function getItem({ database }: ProjectDeps, { orgId }: RequestContext, id: string) {
  return database.read(orgId, async (tx) => {
    const row = await requireRow(store.findItem, tx, orgId, id)
    const project = row.project_id === null ? undefined : await store.findProject(tx, orgId, row.project_id)
    return { body: presentItem(row, project), version: row.version }
  })
}

async function removeItem({ database }: ProjectDeps, context: RequestContext, id: string): Promise<void> {
  await database.change(context, async (tx) => {
    const row = await lockForChange(store.lockItem, tx, context, id)
    const check = await requireRow(findCheck, tx, context.orgId, id)
    await store.deleteItem(tx, context.orgId, id)
    const before = { ...presentItem(row, undefined), check: presentCheck(check) }
    tx.record({ action: 'projectItem.delete', target: { kind: 'projectItem', id }, before, after: null })
  })
}

/** Operation 1: replaces an item, or creates one, and does the same to the project nested in it. */
async function updateItem({ database }: ProjectDeps, context: RequestContext, body: ProjectItemInput) {
  requireOwn(body.orgId, context)
  requireOwn(body.project?.orgId, context)
  const nestedId = body.project?.id ?? null
  if (body.project && body.projectId != null && nestedId !== body.projectId)
    throw invalid('/projectId', 'is not the id of the project')
  const saved = await database.change(context, async (tx) => {
    const { orgId } = context
    // The project first, as whoever changes or removes it: what changes it waits for its items.
    const present = await lockNamed(tx, orgId, body)
    const before = body.id == null ? undefined : await requireRow(store.lockItem, tx, orgId, body.id)
    requireVersion(context, before?.version ?? NOT_THERE)
    const project = await saveProject(tx, context, body, present)
    const item = await saveItem(tx, context, before, itemColumns(body, project.after?.id ?? null))
    const changed = changedFields(
      { item: before ? presentItem(before, undefined) : null, project: presented(project.before) },
      { item: presentItem(item, undefined), project: presented(project.after) },
    )
    if (before && isUnchanged(changed)) return { item: before, project: project.before ?? null }
    const action = before ? 'projectItem.replace' : 'projectItem.create'
    tx.record({ action, target: { kind: 'projectItem', id: item.id }, ...changed })
    return { item, project: project.after ?? null }
  })
  const { item, project } = saved
  return { body: presentItem(item, project ?? undefined), version: item.version }
}

/** The operations on projects and their items. */
export const createProjectService = (deps: ProjectDeps) =>
  bindDependencies(deps, {
    list,
    get,
    create,
    replace,
    remove,
    listItems: pageOfItems,
    listAllItems,
    getItem,
    removeItem,
    updateItem,
  })

export type ProjectService = ReturnType<typeof createProjectService>

/** What is not there yet has no version that an `If-Match` could name (RFC 9110, section 13.1.1). */
const NOT_THERE = 0

interface SavedProject {
  readonly before: store.ProjectRow | undefined
  readonly after: store.ProjectRow | undefined
}

/** Locks the project that is there already: the nested one, or the one that the item names. */
async function lockNamed(
  tx: ChangeTransaction,
  orgId: string,
  { project, projectId }: ProjectItemInput,
): Promise<store.ProjectRow | undefined> {
  const id = project ? project.id : projectId
  return id == null ? undefined : requireRow(store.lockProject, tx, orgId, id)
}

/** Replaces the (locked) project by the nested one, or creates that; without one, leaves it as it is. */
async function saveProject(
  tx: ChangeTransaction,
  context: RequestContext,
  { id, project }: ProjectItemInput,
  before: store.ProjectRow | undefined,
): Promise<SavedProject> {
  const { orgId } = context
  if (!project) return { before, after: before }
  const columns = projectColumns(project)
  if (!before) return { before, after: await store.insertProject(tx, orgId, newRow(context, columns)) }
  const after = await store.replaceProject(tx, orgId, before.id, columns)
  if (!isUnchanged(changedFields(presentProject(before), presentProject(after))))
    await store.raiseItemVersions(tx, orgId, before.id, id ?? null)
  return { before, after }
}

const saveItem = (
  tx: ChangeTransaction,
  context: RequestContext,
  before: store.ItemRow | undefined,
  columns: Parameters<typeof store.replaceItem>[3],
): Promise<store.ItemRow> =>
  before
    ? store.replaceItem(tx, context.orgId, before.id, columns)
    : store.insertItem(tx, context.orgId, newRow(context, columns))

/** A record of another organization is one that does not exist here. */
function requireOwn(orgId: string | null | undefined, context: RequestContext): void {
  if (orgId != null && orgId !== context.orgId) throw notFound()
}

const newRow = <Columns>({ actor }: RequestContext, columns: Columns) => ({
  ...columns,
  id: newId(),
  created_by: actor.email || actor.id,
})
const presented = (row: store.ProjectRow | undefined): Project | null => (row ? presentProject(row) : null)
const versionedProject = (row: store.ProjectRow): Versioned<Project> => ({
  body: presentProject(row),
  version: row.version,
})
