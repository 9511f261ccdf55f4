/** Groups of sites: made, named, filled, removed. A group owns its label, and the names of its sites lie under it. */
import { type AuditAction, isUuid, type SiteGroup } from '@sallyport/contract'
import { isWildcardHost } from '@sallyport/policy'
import { type ChangeTransaction, type Database, newId } from '../../../database/database.ts'
import { invalid, ProblemError } from '../../../errors.ts'
import { bindDependencies } from '../../../http/bind-dependencies.ts'
import { isRepetition, type RequestContext } from '../../../http/context.ts'
import type { BodyOf, QueryOf, Versioned } from '../../../http/handlers.ts'
import { listPage, lockForChange, readRow, requireRow } from '../../../http/rows.ts'
import {
  drawGatedName,
  type GatedNameRules,
  gatedNameOf,
  nameUnder,
  readGroupName,
  refuseTakenName,
} from '../gated-name.ts'
import { readOrigin } from '../origin.ts'
import * as store from './store.ts'

export interface SiteGroupDeps {
  readonly database: Database
  readonly gatedNames: GatedNameRules
}

type Sites = BodyOf<'siteGroupsSetSites'>['sites']

const present = (row: store.GroupRow): SiteGroup => ({
  id: row.id,
  orgId: row.org_id,
  gatedName: row.gated_name,
  createdBy: row.created_by,
  creationDate: row.created_at,
  sites: [...row.sites],
})
const versioned = (row: store.GroupRow): Versioned<SiteGroup> => ({
  body: present(row),
  version: row.version,
})

/** For the audit log. */
const audited = ({ gated_name, sites }: store.GroupRow) => ({ gatedName: gated_name, sites })

const configOf = (ids: Iterable<string>) => Array.from(new Set(ids), (id) => ['site', id] as const)

const list = ({ database }: SiteGroupDeps, { orgId }: RequestContext, query: QueryOf<'siteGroupsList'>) =>
  listPage(database, orgId, query, (tx, page) => store.listGroups(tx, orgId, page), present)

const get = async ({ database }: SiteGroupDeps, { orgId }: RequestContext, id: string) =>
  versioned(await readRow(database, orgId, id, store.findGroup))

async function create(deps: SiteGroupDeps, context: RequestContext, body: BodyOf<'siteGroupsCreate'>) {
  const gatedName = readGroupName(body.gatedName, deps.gatedNames)
  if (!(await isRepetition(deps.database, context))) await requireNothingBelow(deps, gatedName)
  const row = await deps.database.change(context, async (tx) => {
    const group = { id: newId(), gatedName, createdBy: context.principal.userId }
    const created = await store.insertGroup(tx, context.orgId, group)
    if (!created) throw new ProblemError('gated_name_taken')
    tx.record({ action: 'siteGroup.create', ...target(created.id), before: null, after: audited(created) })
    return created
  })
  return versioned(row)
}

async function rename(
  deps: SiteGroupDeps,
  context: RequestContext,
  id: string,
  body: BodyOf<'siteGroupsUpdate'>,
) {
  const now = await readRow(deps.database, context.orgId, id, store.findGroup)
  const gatedName = readGroupName(body.gatedName, deps.gatedNames)
  if (now.gated_name !== gatedName) await requireNothingBelow(deps, gatedName)
  return changeGroup(deps, context, id, 'siteGroup.rename', async (tx, group) => {
    if (group.gated_name === gatedName) return null
    const members = await store.lockGroupSites(tx, context.orgId, id, [])
    const moved = members.map((site) => ({
      id: site.id,
      groupId: id,
      gatedName: nameUnder(site.gated_name.split('.', 1)[0] ?? '', gatedName, '/gatedName'),
    }))
    await store.renameGroup(tx, context.orgId, id, gatedName)
    for (const site of moved) await store.moveSite(tx, context.orgId, site)
    return moved.map((site) => site.id)
  })
}

const setSites = (deps: SiteGroupDeps, context: RequestContext, id: string, sites: Sites) =>
  changeGroup(deps, context, id, 'siteGroup.setSites', async (tx, group) => {
    const { orgId } = context
    const wanted = namesOf(sites, group)
    const rows = await store.lockGroupSites(tx, orgId, id, [...wanted.keys()])
    requireFree(sites, rows, id)
    const leaving = rows.filter((row) => !wanted.has(row.id))
    const moving = rows.filter((row) => wanted.has(row.id) && wanted.get(row.id) !== row.gated_name)
    if (leaving.length + moving.length === 0) return null
    for (const row of leaving)
      await store.moveSite(tx, orgId, {
        id: row.id,
        groupId: null,
        gatedName: await freeName(deps, tx, orgId, row),
      })
    const names = new Set(wanted.values())
    // Two that change places are never under one name at the same time.
    for (const row of moving.filter(({ gated_name }) => names.has(gated_name)))
      await store.moveSite(tx, orgId, {
        id: row.id,
        groupId: id,
        gatedName: `${newId()}.${group.gated_name}`,
      })
    for (const row of moving)
      await store.moveSite(tx, orgId, { id: row.id, groupId: id, gatedName: wanted.get(row.id) ?? '' })
    await store.renameGroup(tx, orgId, id, group.gated_name)
    return rows.map((row) => row.id)
  })

const remove = async ({ database }: SiteGroupDeps, context: RequestContext, id: string): Promise<void> =>
  database.change(context, async (tx) => {
    const row = await lockForChange(store.lockGroup, tx, context, id)
    if (row.sites.length > 0)
      throw new ProblemError('conflict', { detail: 'The group has sites: put them out of it before.' })
    await store.deleteGroup(tx, context.orgId, id)
    tx.record({ action: 'siteGroup.delete', ...target(id), before: audited(row), after: null })
  })

/** The operations on groups of sites. */
export const createSiteGroupService = (deps: SiteGroupDeps) =>
  bindDependencies(deps, { list, get, create, rename, setSites, remove })

export type SiteGroupService = ReturnType<typeof createSiteGroupService>

const target = (id: string) => ({ target: { kind: 'siteGroup', id } })

/** Locks a group and records what `work` does, which answers the sites that gateways must be told of, or null for nothing done. */
async function changeGroup(
  { database }: SiteGroupDeps,
  context: RequestContext,
  id: string,
  action: AuditAction,
  work: (tx: ChangeTransaction, group: store.GroupRow) => Promise<readonly string[] | null>,
): Promise<Versioned<SiteGroup>> {
  const row = await database
    .change(context, async (tx) => {
      const before = await lockForChange(store.lockGroup, tx, context, id)
      const changed = await work(tx, before)
      if (changed === null) return before
      const after = await requireRow(store.findGroup, tx, context.orgId, id)
      const config = configOf(changed)
      tx.record({ action, ...target(id), before: audited(before), after: audited(after), config })
      return after
    })
    .catch(refuseTakenName)
  return versioned(row)
}

/** The gated name that each site is to have. Throws a 400. */
function namesOf(sites: Sites, { gated_name }: store.GroupRow): ReadonlyMap<string, string> {
  const names = new Map<string, string>()
  const taken = new Set<string>()
  sites.forEach(({ id, label }, index) => {
    if (!isUuid(id)) throw notASite(index)
    if (names.has(id)) throw invalid(`/sites/${index}/id`, 'is there twice')
    const name = nameUnder(label, gated_name, `/sites/${index}/label`)
    if (taken.has(name)) throw invalid(`/sites/${index}/label`, 'is the label of another one')
    names.set(id, name)
    taken.add(name)
  })
  return names
}

/** Throws a 400 where one of the sites is not there, in another group, or a wildcard under a label or the other way round. */
function requireFree(sites: Sites, rows: readonly store.GroupSiteRow[], groupId: string): void {
  const known = new Map(rows.map((row) => [row.id, row]))
  sites.forEach(({ id, label }, index) => {
    const row = known.get(id)
    if (!row) throw notASite(index)
    if (row.group_id !== null && row.group_id !== groupId)
      throw invalid(`/sites/${index}/id`, 'is a site of another group')
    if (isWildcardHost(row.origin_host) !== (label.trim() === '*'))
      throw invalid(
        `/sites/${index}/label`,
        'must be * for a site whose origin has a wildcard, and for no other',
      )
  })
}

const notASite = (index: number) => invalid(`/sites/${index}/id`, 'is not a site of the organization')

/** A name for a site that leaves: made of its origin, where nobody has that. */
async function freeName(
  { gatedNames }: SiteGroupDeps,
  tx: ChangeTransaction,
  orgId: string,
  { origin_name }: store.GroupSiteRow,
): Promise<string> {
  const origin = readOrigin(origin_name)
  const name = gatedNameOf(origin, gatedNames)
  return (await store.isNameFree(tx, orgId, name)) ? name : drawGatedName(origin, gatedNames)
}

/** Sites of earlier versions may have more than one label: they keep their names, and nobody gets those above. */
async function requireNothingBelow({ database }: SiteGroupDeps, gatedName: string): Promise<void> {
  if (await database.readInstallation((tx) => store.hasNamesBelow(tx, gatedName)))
    throw new ProblemError('gated_name_taken')
}
