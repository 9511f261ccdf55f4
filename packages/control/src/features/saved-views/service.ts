/** The life of a saved view: saved, shared, changed, removed. A private one is there for nobody but who made it. */
import { ROLES, SAVED_VIEWS_MAX, type SavedView } from '@sallyport/contract'
import { changedFields } from '../../audit/changed-fields.ts'
import { type Database, newId, type Transaction } from '../../database/database.ts'
import { ProblemError } from '../../errors.ts'
import { bindDependencies } from '../../http/bind-dependencies.ts'
import type { RequestContext } from '../../http/context.ts'
import type { BodyOf, QueryOf, Versioned } from '../../http/handlers.ts'
import { listPage, lockForChange, readRow } from '../../http/rows.ts'
import * as store from './store.ts'

interface SavedViewDeps {
  readonly database: Database
}

const list = ({ database }: SavedViewDeps, context: RequestContext, query: QueryOf<'savedViewsList'>) =>
  listPage(
    database,
    context.orgId,
    query,
    (tx, page) => store.listViews(tx, context.orgId, { userId: context.principal.userId }, page),
    (row) => present(context, row),
  )

const get = async ({ database }: SavedViewDeps, context: RequestContext, id: string) =>
  versioned(context, await readRow(database, context.orgId, id, visible(context, store.findView)))

async function create(
  { database }: SavedViewDeps,
  context: RequestContext,
  body: BodyOf<'savedViewsCreate'>,
): Promise<Versioned<SavedView>> {
  const { orgId, principal } = context
  const row = await database.change(context, async (tx) => {
    await requireRoom(tx, context, body.isShared ?? false)
    const created = await store.insertView(tx, orgId, {
      id: newId(),
      name: body.name,
      query: body.query,
      is_shared: body.isShared ?? false,
      created_by: principal.userId,
      created_by_email: principal.email,
    })
    tx.record({
      action: 'savedView.create',
      target: targetOf(created.id),
      before: null,
      after: audited(created),
    })
    return created
  })
  return versioned(context, row)
}

async function update(
  { database }: SavedViewDeps,
  context: RequestContext,
  id: string,
  body: BodyOf<'savedViewsUpdate'>,
): Promise<Versioned<SavedView>> {
  const row = await database.change(context, async (tx) => {
    const before = await lockForChange(visible(context, store.lockView), tx, context, id)
    requireMayChange(context, before)
    if (body.isShared === false && before.is_shared && !isOwn(context, before))
      throw new ProblemError('forbidden', { detail: 'Only who made a view makes it private.' })
    const change = {
      name: body.name ?? before.name,
      query: body.query ?? before.query,
      is_shared: body.isShared ?? before.is_shared,
    }
    const difference = changedFields(audited(before), audited({ ...before, ...change }))
    if (Object.keys(difference.after).length === 0) return before
    if (change.is_shared !== before.is_shared) await requireRoom(tx, context, change.is_shared)
    const after = await store.updateView(tx, context.orgId, id, change)
    tx.record({ action: 'savedView.update', target: targetOf(id), ...difference })
    return after
  })
  return versioned(context, row)
}

const remove = ({ database }: SavedViewDeps, context: RequestContext, id: string): Promise<void> =>
  database.change(context, async (tx) => {
    const before = await lockForChange(visible(context, store.lockView), tx, context, id)
    requireMayChange(context, before)
    await store.deleteView(tx, context.orgId, id)
    tx.record({ action: 'savedView.remove', target: targetOf(id), before: audited(before), after: null })
  })

/** The operations on saved views. */
export const createSavedViewService = (deps: SavedViewDeps) =>
  bindDependencies(deps, { list, get, create, update, remove })

export type SavedViewService = ReturnType<typeof createSavedViewService>

const isOwn = ({ principal }: RequestContext, row: store.SavedViewRow): boolean =>
  row.created_by === principal.userId

/** Another's private view is answered as one that does not exist, whoever asks. */
const visible =
  (context: RequestContext, read: typeof store.findView) =>
  async (tx: Transaction, orgId: string, id: string) => {
    const row = await read(tx, orgId, id)
    return row && (row.is_shared || isOwn(context, row)) ? row : undefined
  }

/** What nobody else sees takes nobody else's room. */
async function requireRoom(
  tx: Transaction,
  { orgId, principal }: RequestContext,
  isShared: boolean,
): Promise<void> {
  if ((await store.countViews(tx, orgId, isShared ? null : principal.userId)) < SAVED_VIEWS_MAX) return
  const detail = isShared
    ? `An organization has ${SAVED_VIEWS_MAX} shared views at most.`
    : `You have ${SAVED_VIEWS_MAX} private views at most.`
  throw new ProblemError('conflict', { detail })
}

function requireMayChange(context: RequestContext, row: store.SavedViewRow): void {
  // Roles are listed from the strongest to the weakest.
  const isAdmin = ROLES.indexOf(context.principal.role) <= ROLES.indexOf('admin')
  if (!isOwn(context, row) && !isAdmin)
    throw new ProblemError('forbidden', {
      detail: 'A shared view is changed by who made it, or by an owner or admin.',
    })
}

const targetOf = (id: string) => ({ kind: 'savedView', id })

const audited = ({ name, query, is_shared }: store.SavedViewRow) => ({ name, query, isShared: is_shared })

const present = (context: RequestContext, row: store.SavedViewRow): SavedView => ({
  id: row.id,
  name: row.name,
  query: row.query,
  isShared: row.is_shared,
  isOwn: isOwn(context, row),
  createdBy: row.created_by_email,
  creationDate: row.created_at,
})

const versioned = (context: RequestContext, row: store.SavedViewRow): Versioned<SavedView> => ({
  body: present(context, row),
  version: row.version,
})
