/** The life of a researcher: invited, paused, resumed, expired, removed. */
import { type AuditAction, type Hacker, type hackerWithKeys, isUuid } from '@sallyport/contract'
import type { z } from 'zod'
import { changedFields, isUnchanged } from '../../audit/changed-fields.ts'
import { type ChangeTransaction, type Database, newId, type Transaction } from '../../database/database.ts'
import { notFound, ProblemError } from '../../errors.ts'
import { bindDependencies } from '../../http/bind-dependencies.ts'
import type { RequestContext } from '../../http/context.ts'
import type { BodyOf, QueryOf, Versioned } from '../../http/handlers.ts'
import type { PageRequest } from '../../http/request/paging.ts'
import { listPage, lockForChange, readRow, readRowWith } from '../../http/rows.ts'
import { INVITATION_DAYS, invitationLink, issueInvitation, issueKey } from './credentials.ts'
import { audited, presentHacker, presentKey, versioned } from './hacker-view.ts'
import * as store from './store.ts'

export interface HackerDeps {
  readonly database: Database
  /** Where researchers reach the gate's own host. */
  readonly gateUrl: string
}

type Creation = BodyOf<'hackersCreate'>
interface NewHacker extends Hacker {
  readonly key: string
  readonly invitation: string
}

/** Inserts researchers with a key and an invitation each. All or none. */
async function insertAll(
  { gateUrl }: HackerDeps,
  tx: ChangeTransaction,
  { orgId, principal }: RequestContext,
  bodies: readonly Creation[],
): Promise<NewHacker[]> {
  const researchers = bodies.map(newResearcher)
  const keys = researchers.map(({ id }) => issueKey(id))
  const invitations = researchers.map(({ id }) => issueInvitation(id, INVITATION_DAYS))
  const rows = await store.insertResearchers(tx, orgId, principal.userId, researchers)
  if (rows.length < researchers.length)
    throw new ProblemError('conflict', { detail: 'There is a researcher with this e-mail address already.' })
  await Promise.all([store.insertKeys(tx, orgId, keys), store.insertInvitations(tx, orgId, invitations)])
  const byId = new Map(rows.map((row) => [row.id, row]))
  return researchers.flatMap(({ id }, index) => {
    const [row, key, invitation] = [byId.get(id), keys[index], invitations[index]]
    if (!row || !key || !invitation) return []
    return { ...presentHacker(row), key: key.key, invitation: invitationLink(gateUrl, invitation.token) }
  })
}

/** Locks a researcher, applies what `decide` returns, and records it where something changes. */
async function changeHacker(
  { database }: HackerDeps,
  context: RequestContext,
  id: string,
  action: AuditAction,
  decide: (row: store.ResearcherRow, tx: ChangeTransaction) => Partial<store.ResearcherColumns>,
): Promise<Versioned<Hacker>> {
  const { orgId } = context
  const row = await database.change(context, async (tx) => {
    const before = await lockForChange(store.lockResearcher, tx, context, id)
    const columns = { ...before, ...decide(before, tx) }
    const changed = changedFields(audited(before), audited(columns))
    if (isUnchanged(changed)) return before
    const after = await store.updateResearcher(tx, orgId, id, columns).catch(refuseTakenEmail)
    tx.record({ action, ...store.researcherChange(id), ...changed })
    return after
  })
  return versioned(row)
}

type NewestQuery = Pick<QueryOf<'hackersList'>, 'search' | 'state' | 'site' | 'id' | 'limit' | 'cursor'>

async function list({ database }: HackerDeps, { orgId }: RequestContext, query: NewestQuery) {
  const { search, state, site: siteId, id } = query
  const ids = id?.filter(isUuid)
  const list = async (tx: Transaction, page: PageRequest) =>
    siteId === undefined || isUuid(siteId)
      ? store.listResearchers(tx, orgId, { search, state, siteId, ids }, page)
      : []
  return listPage(database, orgId, query, list, presentHacker)
}

async function get(
  { database }: HackerDeps,
  { orgId }: RequestContext,
  id: string,
  include: QueryOf<'hackersGet'>['include'] = [],
): Promise<Versioned<z.infer<typeof hackerWithKeys>>> {
  if (!include.includes('keys')) return versioned(await readRow(database, orgId, id, store.findResearcher))
  const [row, keys] = await readRowWith(database, orgId, id, store.findResearcher, store.listKeys)
  const { body, version } = versioned(row)
  return { body: { ...body, keys: keys.map(presentKey) }, version }
}

async function create(deps: HackerDeps, context: RequestContext, body: Creation) {
  const created = await deps.database.change(context, async (tx) => {
    const [hacker] = await insertAll(deps, tx, context, [body])
    if (!hacker) throw new Error('an inserted researcher is gone')
    const { key, invitation, ...shown } = hacker
    tx.record({ action: 'hacker.create', ...store.researcherChange(hacker.id), before: null, after: shown })
    return hacker
  })
  return { body: created, version: 1 }
}

const createMany = async (deps: HackerDeps, context: RequestContext, bodies: readonly Creation[]) => ({
  items: await deps.database.change(context, async (tx) => {
    const hackers = await insertAll(deps, tx, context, bodies)
    tx.record({
      action: 'hacker.createMany',
      target: { kind: 'organization', id: context.orgId },
      before: null,
      after: hackers.map(({ key, invitation, ...shown }) => shown),
      config: hackers.flatMap(({ id }) => store.researcherChange(id).config),
    })
    return hackers
  }),
})

const update = (deps: HackerDeps, context: RequestContext, id: string, body: BodyOf<'hackersUpdate'>) =>
  changeHacker(deps, context, id, 'hacker.update', (row) => ({
    email: body.email ?? row.email,
    name: body.name ?? row.name,
    paused: body.paused ?? row.paused,
    expires_at: body.expires === undefined ? row.expires_at : instant(body.expires),
  }))

async function bulk(
  { database }: HackerDeps,
  context: RequestContext,
  { action, ids }: BodyOf<'hackersBulk'>,
): Promise<{ changed: number }> {
  const { orgId } = context
  if (ids && !ids.every(isUuid)) throw notFound()
  return database.change(context, async (tx) => {
    const all = await store.lockResearchers(tx, orgId, ids ?? null)
    if (ids && all.length < new Set(ids).size) throw notFound()
    const rows = all.filter((row) => !isSoAlready(row, action))
    const found = rows.map(({ id }) => id)
    if (found.length === 0) return { changed: 0 }
    await store.actOnResearchers(tx, orgId, action, found)
    tx.record({
      action: `hacker.${action}`,
      target: { kind: 'organization', id: orgId },
      before: rows.map(({ id, email, paused, expires_at: expires }) => ({ id, email, paused, expires })),
      after: { action, all: ids === undefined },
      config: found.flatMap((id) => store.researcherChange(id).config),
    })
    return { changed: found.length }
  })
}

const isSoAlready = ({ paused, expires_at }: store.ResearcherRow, action: store.BulkAction): boolean => {
  if (action === 'expire') return expires_at !== null && Date.parse(expires_at) <= Date.now()
  return action !== 'remove' && paused === (action === 'pause')
}

async function remove({ database }: HackerDeps, context: RequestContext, id: string): Promise<void> {
  await database.change(context, async (tx) => {
    const row = await lockForChange(store.lockResearcher, tx, context, id)
    await store.actOnResearchers(tx, context.orgId, 'remove', [id])
    tx.record({ action: 'hacker.remove', ...store.researcherChange(id), before: audited(row), after: null })
  })
}

/** The operations on researchers. */
export const createHackerService = (deps: HackerDeps) =>
  bindDependencies(deps, { list, get, create, createMany, update, bulk, remove })

export type HackerService = ReturnType<typeof createHackerService>

/** The columns of a researcher who is added. */
export const newResearcher = (body: Creation): store.NewResearcher => ({
  id: newId(),
  email: body.email,
  name: body.name ?? '',
  paused: body.paused ?? false,
  expires_at: instant(body.expires ?? null),
})

const instant = (text: string | null): string | null => (text === null ? null : new Date(text).toISOString())

function refuseTakenEmail(error: unknown): never {
  const isTaken = error instanceof Error && 'constraint' in error && error.constraint === 'researchers_email'
  if (!isTaken) throw error
  throw new ProblemError('conflict', { detail: 'There is a researcher with this e-mail address already.' })
}
