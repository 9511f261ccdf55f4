/** The life of a site: created, changed, opened, closed, removed. */
import type { AuditAction, Site, SiteHealth, siteWithHealth } from '@sallyport/contract'
import type { z } from 'zod'
import { changedFields, MASKED } from '../../audit/changed-fields.ts'
import { type ChangeTransaction, type Database, newId } from '../../database/database.ts'
import { EMPTY_SITE, type SiteColumns } from '../../database/site-columns.ts'
import { invalid, notFound, ProblemError } from '../../errors.ts'
import { bindDependencies } from '../../http/bind-dependencies.ts'
import { isRepetition, type RequestContext, requireVersion } from '../../http/context.ts'
import type { BodyOf, QueryOf, Versioned } from '../../http/handlers.ts'
import { pageOfRows, readPage } from '../../http/request/paging.ts'
import { lockForChange, readRow, requireId, requireRow } from '../../http/rows.ts'
import { normalizeBlockList } from './block-list.ts'
import { drawGatedName, gatedNameOf, refuseTakenName } from './gated-name.ts'
import { closeNow, openNow, requireOpening } from './opening.ts'
import { readOrigin } from './origin.ts'
import { type Admission, type OriginProofService, opensOrigin, originOf } from './origin-proof/service.ts'
import { auditedSite, presentSite, readSiteFields, type SiteFieldDeps } from './site-fields.ts'
import * as store from './store.ts'

export interface SiteDeps extends SiteFieldDeps {
  readonly database: Database
  /** How the gateways of an organization find the origin of a site. */
  readonly healthOf: (siteId: string, orgId: string) => SiteHealth
  readonly originProofs: OriginProofService
}

/** More sites than this are listed page by page only. */
const WHOLE_LIST_MAX = 10_000
const NAMES_DRAWN_MAX = 5

const versioned = (deps: SiteDeps, row: store.SiteRow, context: RequestContext): Versioned<Site> => ({
  body: presentSite(row, context.principal, deps),
  version: row.version,
})

interface SiteChange {
  readonly action: AuditAction
  readonly decide: (
    row: store.SiteRow,
    tx: ChangeTransaction,
  ) => Partial<SiteColumns> | Promise<Partial<SiteColumns>>
  /** Of the origin, where the change may open the site with it. */
  readonly admission?: Admission | null
  /** Whether it may give the site another name or origin, which its group shows. */
  readonly mayRename?: boolean
}

/** Locks a site, applies what `decide` returns, and records it. Nothing is written where nothing changes. */
async function changeSite(
  deps: SiteDeps,
  context: RequestContext,
  id: string,
  { action, decide, admission = null, mayRename = false }: SiteChange,
): Promise<Versioned<Site>> {
  const { orgId } = context
  const row = await deps.database.change(context, async (tx) => {
    if (mayRename) await store.lockGroupOf(tx, orgId, id)
    const before = await lockForChange(store.lockSite, tx, context, id)
    const columns = { ...before, ...(await decide(before, tx)) }
    const changed = changedFields<object>(auditedSite(before), auditedSite(columns))
    // Masked, other credentials look like those before: the entry says all the same that they were changed.
    const areReplaced =
      before.credentials !== '' && columns.credentials !== '' && columns.credentials !== before.credentials
    const replaced = areReplaced ? { credentials: MASKED } : {}
    const was = { ...changed.before, ...replaced }
    const is = { ...changed.after, ...replaced }
    if (Object.keys(is).length === 0) return before
    if (opensOrigin(before, columns, Date.now()))
      await deps.originProofs.confirm(tx, orgId, admission, originOf(columns))
    const after = await store.updateSite(tx, orgId, id, columns).catch(refuseTakenName)
    const isRenamed = 'gatedName' in is || 'originName' in is
    const change = isRenamed ? await store.siteChangeInGroup(tx, orgId, before) : store.siteChange(id)
    tx.record({ action, ...change, before: was, after: is })
    return after
  })
  return versioned(deps, row, context)
}

/** Asks for the proof of an origin that a change would open a site with; null where it opens none. */
async function admissionOf(
  { database, originProofs }: SiteDeps,
  context: RequestContext,
  id: string,
  decide: (row: store.SiteRow) => Partial<SiteColumns>,
): Promise<Admission | null> {
  const before = await readRow(database, context.orgId, id, store.findSite)
  requireVersion(context, before.version)
  const after = { ...before, ...decide(before) }
  return opensOrigin(before, after, Date.now()) ? originProofs.admit(context, id, originOf(after)) : null
}

/** Tries the name asked for, or else names made of the origin until one is free. */
async function insertNamed(
  { gatedNames }: SiteDeps,
  tx: ChangeTransaction,
  orgId: string,
  site: store.NewSite,
  isAskedFor: boolean,
) {
  const origin = originOf(site)
  for (let drawn = 0; drawn < NAMES_DRAWN_MAX; drawn++) {
    const name = drawn === 0 ? site.gated_name : drawGatedName(origin, gatedNames)
    const row = await store.insertSite(tx, orgId, { ...site, gated_name: name })
    if (row) return row
    if (isAskedFor) break
  }
  throw new ProblemError('gated_name_taken')
}

/** Says why a rate limit was not set. */
function refuseRateLimit({ database }: SiteDeps, context: RequestContext, id: string): Promise<never> {
  return database.read(context.orgId, async (tx) => {
    const site = await requireRow(store.findSite, tx, context.orgId, id)
    requireVersion(context, site.version)
    throw unknownPolicy(await store.policiesOfPlan(tx, context.orgId))
  })
}

async function list(deps: SiteDeps, context: RequestContext, query: QueryOf<'sitesList'>) {
  const { orderBy } = query
  const isPaged = query.limit !== undefined || query.cursor !== undefined
  if (isPaged && orderBy) throw invalid('query/orderBy', 'sorts the whole list: leave limit and cursor out')
  const page = isPaged ? readPage(query, 50) : null
  const rows = await deps.database.read(context.orgId, (tx) =>
    store.listSites(tx, context.orgId, filterOf(query), page),
  )
  const now = Date.now()
  const { items, next } = pageOfRows(
    rows,
    page?.limit ?? WHOLE_LIST_MAX,
    (row) => row.id,
    (row) => presentSite(row, context.principal, deps, now),
  )
  if (!orderBy) return { items, next }
  if (next !== null) throw invalid('query/orderBy', `sorts at most ${WHOLE_LIST_MAX} sites`)
  return { items: sortedBy(items, orderBy), next }
}

/** Our names of the filters, or those of the original interface. */
const filterOf = ({ search, searchTerm, state, isActive }: QueryOf<'sitesList'>): store.SiteFilter => ({
  search: search ?? searchTerm,
  state: state ?? (isActive && (isActive === 'true' ? 'active' : 'inactive')),
})

/** By a field, in ascending order; false comes before true. */
const sortedBy = (sites: readonly Site[], field: keyof Site): Site[] =>
  sites.toSorted((left, right) => Number(left[field] > right[field]) - Number(left[field] < right[field]))

async function get(
  deps: SiteDeps,
  context: RequestContext,
  id: string,
  include: QueryOf<'sitesGet'>['include'] = [],
): Promise<Versioned<z.infer<typeof siteWithHealth>>> {
  const { orgId } = context
  const { body, version } = versioned(deps, await readRow(deps.database, orgId, id, store.findSite), context)
  return { version, body: include.includes('health') ? { ...body, health: deps.healthOf(id, orgId) } : body }
}

async function create(deps: SiteDeps, context: RequestContext, body: BodyOf<'sitesCreate'>) {
  const { orgId, principal } = context
  const id = newId()
  const columns = readSiteFields(deps, body, { orgId, id })
  const site: store.NewSite = {
    ...EMPTY_SITE,
    starts_at: new Date().toISOString(),
    gated_name: gatedNameOf(readOrigin(body.originName), deps.gatedNames),
    ...columns,
    has_custom_list: body.hasCustomList,
    id,
    created_by: principal.userId,
  }
  const isRepeated = await isRepetition(deps.database, context)
  if (!isRepeated) requireOpening(site, new Date().toISOString())
  const isOpening = opensOrigin(null, site, Date.now())
  const admission =
    isOpening && !isRepeated ? await deps.originProofs.admit(context, null, originOf(site)) : null
  const row = await deps.database.change(context, async (tx) => {
    await requirePolicy(tx, orgId, site.rate_limit)
    if (isOpening) await deps.originProofs.confirm(tx, orgId, admission, originOf(site))
    const created = await insertNamed(deps, tx, orgId, site, columns.gated_name !== undefined)
    tx.record({ action: 'site.create', ...store.siteChange(id), before: null, after: auditedSite(created) })
    return created
  })
  return versioned(deps, row, context)
}

async function update(deps: SiteDeps, context: RequestContext, id: string, body: BodyOf<'sitesUpdate'>) {
  const decide = (row: store.SiteRow) =>
    readSiteFields(deps, body, { orgId: context.orgId, id, present: row })
  const mayOpen = (body.isActive ?? body.originName ?? body.stopDate) !== undefined
  const admission = mayOpen ? await admissionOf(deps, context, id, decide) : null
  const decideAll = async (row: store.SiteRow, tx: ChangeTransaction) => {
    const columns = decide(row)
    if (columns.rate_limit !== undefined && columns.rate_limit !== row.rate_limit)
      await requirePolicy(tx, context.orgId, columns.rate_limit)
    return columns
  }
  const mayRename = (body.gatedName ?? body.originName) !== undefined
  return changeSite(deps, context, id, { action: 'site.update', decide: decideAll, admission, mayRename })
}

const setBlockList = (
  deps: SiteDeps,
  context: RequestContext,
  { id, blockList }: BodyOf<'sitesSetBlockList'>,
) => {
  const block_list = normalizeBlockList(blockList)
  return changeSite(deps, context, id, { action: 'site.setBlockList', decide: () => ({ block_list }) })
}

const allowedHackerType = (
  deps: SiteDeps,
  context: RequestContext,
  body: BodyOf<'sitesAllowedHackerType'>,
) => {
  if (body.tenantId !== undefined && body.tenantId !== context.orgId) throw notFound()
  const decide = () => ({ has_custom_list: body.allowedHackerType })
  return changeSite(deps, context, body.id, { action: 'site.allowedHackerType', decide })
}

/** Closes a site now; one that is closed already, or planned, keeps its dates. */
const disable = (deps: SiteDeps, context: RequestContext, id: string) =>
  changeSite(deps, context, id, {
    action: 'site.disable',
    decide: (row) => closeNow(row, new Date().toISOString()),
  })

async function enable(deps: SiteDeps, context: RequestContext, id: string) {
  const decide = (row: store.SiteRow) => openNow(row, new Date().toISOString())
  const admission = await admissionOf(deps, context, id, decide)
  return changeSite(deps, context, id, { action: 'site.enable', decide, admission })
}

/** The most frequent change, in one statement. */
async function setRateLimiting(
  deps: SiteDeps,
  context: RequestContext,
  { id, rateLimit }: BodyOf<'sitesSetRateLimiting'>,
): Promise<Versioned<Site>> {
  requireId(id)
  const { orgId, ifMatch } = context
  const record = {
    action: 'site.setRateLimiting' as const,
    ...store.siteChange(id),
    before: { rateLimit: '' },
    after: { rateLimit },
  }
  const change = { orgId, id, rateLimit, versions: ifMatch }
  const row = await deps.database.changeAtOnce(context, {
    record,
    lock: store.lockSites,
    statement: (tx, recorded) => store.changeRateLimit(tx, change, recorded),
  })
  return row ? versioned(deps, row, context) : refuseRateLimit(deps, context, id)
}

async function remove({ database }: SiteDeps, context: RequestContext, id: string): Promise<void> {
  await database.change(context, async (tx) => {
    await store.lockGroupOf(tx, context.orgId, id)
    const row = await lockForChange(store.lockSite, tx, context, id)
    const change = await store.siteChangeInGroup(tx, context.orgId, row)
    await store.deleteSite(tx, context.orgId, id)
    tx.record({ action: 'site.delete', ...change, before: auditedSite(row), after: null })
  })
}

/** The operations on sites. */
export const createSiteService = (deps: SiteDeps) =>
  bindDependencies(deps, {
    list,
    get,
    create,
    update,
    setBlockList,
    allowedHackerType,
    disable,
    enable,
    setRateLimiting,
    remove,
  })

export type SiteService = ReturnType<typeof createSiteService>

async function requirePolicy(tx: ChangeTransaction, orgId: string, rateLimit: string): Promise<void> {
  if (rateLimit === '') return
  const allowed = await store.policiesOfPlan(tx, orgId)
  if (!allowed.includes(rateLimit)) throw unknownPolicy(allowed)
}

const unknownPolicy = (allowed: readonly string[]): ProblemError =>
  invalid('/rateLimit', `must be empty or one of the policies of the plan: ${allowed.join(', ')}`)
