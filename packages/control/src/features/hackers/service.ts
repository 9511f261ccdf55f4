/** The life of a researcher: invited, paused, resumed, expired, removed. */
import { type Hacker, isUuid, type Operations, type Page } from '@sallyport/contract'
import type { z } from 'zod'
import { changedFields } from '../../audit/changed-fields.ts'
import { type ChangeTransaction, type Database, newId } from '../../database/database.ts'
import { bindDependencies } from '../../http/bind-dependencies.ts'
import { type RequestContext, requireVersion } from '../../http/context.ts'
import { ApiError, notFound } from '../../http/errors.ts'
import type { Versioned } from '../../http/handlers.ts'
import { pageOfRows, readPage } from '../../http/request/paging.ts'
import { INVITATION_DAYS, invitationLink, issueInvitation, issueKey } from './credentials.ts'
import { audited, presentHacker, requireLocked, versioned } from './hacker-view.ts'
import {
  actOnResearchers,
  findResearcher,
  insertInvitations,
  insertKeys,
  insertResearchers,
  listResearchers,
  lockResearchers,
  type NewResearcher,
  type ResearcherColumns,
  type ResearcherRow,
  researcherConfig,
  updateResearcher,
} from './store.ts'

export interface HackerDeps {
  readonly database: Database
  /** Where researchers reach the gate's own host. */
  readonly gateUrl: string
}

type Body<Id extends keyof Operations> = Operations[Id] extends {
  readonly body: infer Schema extends z.ZodType
}
  ? z.output<Schema>
  : never
type Creation = Body<'hackersCreate'>
export interface NewHacker extends Hacker {
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
  const rows = await insertResearchers(tx, orgId, principal.userId, researchers)
  if (rows.length < researchers.length)
    throw new ApiError('conflict', { detail: 'There is a researcher with this e-mail address already.' })
  await Promise.all([insertKeys(tx, orgId, keys), insertInvitations(tx, orgId, invitations)])
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
  action: string,
  decide: (row: ResearcherRow, tx: ChangeTransaction) => Partial<ResearcherColumns>,
): Promise<Versioned<Hacker>> {
  const { orgId } = context
  const row = await database.change(context, async (tx) => {
    const before = await requireLocked(tx, orgId, id)
    requireVersion(context, before.version)
    const columns = { ...before, ...decide(before, tx) }
    const changed = changedFields(audited(before), audited(columns))
    if (Object.keys(changed.after).length === 0) return before
    const after = await updateResearcher(tx, orgId, id, columns).catch(refuseTakenEmail)
    tx.record({ action, target: { kind: 'hacker', id }, ...changed, config: [researcherConfig(id)] })
    return after
  })
  return versioned(row)
}

async function list(
  { database }: HackerDeps,
  { orgId }: RequestContext,
  query: z.output<Operations['hackersList']['query']>,
): Promise<Page<Hacker>> {
  const page = readPage(query, query.limit)
  if (query.site !== undefined && !isUuid(query.site)) return { items: [], next: null }
  const filter = { search: query.search, state: query.state, siteId: query.site }
  const rows = await database.read(orgId, (tx) => listResearchers(tx, orgId, filter, page))
  return pageOfRows(rows, page.limit, (row) => row.id, presentHacker)
}

async function get(
  { database }: HackerDeps,
  { orgId }: RequestContext,
  id: string,
): Promise<Versioned<Hacker>> {
  if (!isUuid(id)) throw notFound()
  const row = await database.read(orgId, (tx) => findResearcher(tx, orgId, id))
  if (!row) throw notFound()
  return versioned(row)
}

async function create(
  deps: HackerDeps,
  context: RequestContext,
  body: Creation,
): Promise<Versioned<NewHacker>> {
  const created = await deps.database.change(context, async (tx) => {
    const [hacker] = await insertAll(deps, tx, context, [body])
    if (!hacker) throw new Error('an inserted researcher is gone')
    const { key, invitation, ...shown } = hacker
    tx.record({
      action: 'hacker.create',
      target: { kind: 'hacker', id: hacker.id },
      before: null,
      after: shown,
      config: [researcherConfig(hacker.id)],
    })
    return hacker
  })
  return { body: created, version: 1 }
}

const createMany = async (
  deps: HackerDeps,
  context: RequestContext,
  bodies: readonly Creation[],
): Promise<{ items: NewHacker[] }> => ({
  items: await deps.database.change(context, async (tx) => {
    const hackers = await insertAll(deps, tx, context, bodies)
    tx.record({
      action: 'hacker.createMany',
      target: { kind: 'organization', id: context.orgId },
      before: null,
      after: hackers.map(({ key, invitation, ...shown }) => shown),
      config: hackers.map(({ id }) => researcherConfig(id)),
    })
    return hackers
  }),
})

const update = (deps: HackerDeps, context: RequestContext, id: string, body: Body<'hackersUpdate'>) =>
  changeHacker(deps, context, id, 'hacker.update', (row) => ({
    email: body.email ?? row.email,
    name: body.name ?? row.name,
    paused: body.paused ?? row.paused,
    expires_at: body.expires === undefined ? row.expires_at : instant(body.expires),
  }))

async function bulk(
  { database }: HackerDeps,
  context: RequestContext,
  { action, ids }: Body<'hackersBulk'>,
): Promise<{ changed: number }> {
  const { orgId } = context
  if (ids && !ids.every(isUuid)) throw notFound()
  return database.change(context, async (tx) => {
    const rows = await lockResearchers(tx, orgId, ids ?? null)
    const found = rows.map(({ id }) => id)
    if (ids && found.length < new Set(ids).size) throw notFound()
    if (found.length === 0) return { changed: 0 }
    await actOnResearchers(tx, orgId, action, found)
    tx.record({
      action: `hacker.${action}`,
      target: { kind: 'organization', id: orgId },
      before: rows.map(({ id, email, paused, expires_at }) => ({
        id,
        email,
        paused,
        expires: expires_at,
      })),
      after: { action, all: ids === undefined },
      config: found.map(researcherConfig),
    })
    return { changed: found.length }
  })
}

async function remove({ database }: HackerDeps, context: RequestContext, id: string): Promise<void> {
  await database.change(context, async (tx) => {
    const row = await requireLocked(tx, context.orgId, id)
    requireVersion(context, row.version)
    await actOnResearchers(tx, context.orgId, 'remove', [id])
    const target = { kind: 'hacker', id }
    tx.record({
      action: 'hacker.remove',
      target,
      before: audited(row),
      after: null,
      config: [researcherConfig(id)],
    })
  })
}

/** The operations on researchers. */
export const createHackerService = (deps: HackerDeps) =>
  bindDependencies(deps, { list, get, create, createMany, update, bulk, remove })

export type HackerService = ReturnType<typeof createHackerService>

const newResearcher = (body: Creation): NewResearcher => ({
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
  throw new ApiError('conflict', { detail: 'There is a researcher with this e-mail address already.' })
}
