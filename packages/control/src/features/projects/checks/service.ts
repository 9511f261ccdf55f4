/** The checks of a project: set one by one, and read together with what the record says of each. */
import { setImmediate as nextTurn } from 'node:timers/promises'
import {
  CHECK_ITEMS_MAX,
  CHECK_SITES_MAX,
  type Check,
  type CheckInput,
  isUuid,
  type ProjectCheck,
  type ProjectChecks,
} from '@sallyport/contract'
import { DateTime } from 'luxon'
import { changedFields, isUnchanged } from '../../../audit/changed-fields.ts'
import type { Database, Transaction } from '../../../database/database.ts'
import { invalid, ProblemError } from '../../../errors.ts'
import { bindDependencies } from '../../../http/bind-dependencies.ts'
import type { RequestContext } from '../../../http/context.ts'
import type { QueryOf, Versioned } from '../../../http/handlers.ts'
import { pageOfRows, readPage } from '../../../http/request/paging.ts'
import { describeWindow, readWindow, type Window, type WindowQuery } from '../../../http/request/window.ts'
import { lockForChange, readRow, readRowWith } from '../../../http/rows.ts'
import { findProject, type ProjectRow } from '../store.ts'
import { type CoveredSites, presentTies, type SiteMap, verdictOfCheck } from './check-verdict.ts'
import { checkColumns, isOverdue, presentCheck, requireWhole } from './check-view.ts'
import { type CheckFile, writeChecks } from './checks-csv.ts'
import * as store from './store.ts'

/** A window as a query of the coverage has it; without its end it ends now. */
export interface CoverageWindow {
  readonly gte: string
  readonly lte?: string
}

export interface CheckDeps {
  readonly database: Database
  /** The map of a site in a window. Throws a 404 for a site that the organization does not have. */
  readonly coverageOf: (orgId: string, siteId: string, window: CoverageWindow) => Promise<SiteMap>
  readonly now?: () => number
}

const WINDOW_MS = 30 * 86_400_000
/** What a page holds at most of what is tied. */
const TIES_MAX = 2_000
/** Maps that are read at the same time. */
const MAPS_AT_ONCE = 4

type ChecksQuery = QueryOf<'projectsListChecks'>

async function list(deps: CheckDeps, { orgId }: RequestContext, id: string, query: ChecksQuery) {
  const { now = Date.now } = deps
  const page = readPage(query, query.limit)
  const [project, rows] = await readRowWith(deps.database, orgId, id, findProject, (tx) =>
    store.listChecks(tx, orgId, { projectId: id, search: query.search }, page),
  )
  const window = windowOf(project, query, now())
  const shown = rows.slice(0, boundedCount(rows, page.limit))
  const sites = await coveredSites(deps, orgId, shown, window)
  const today = DateTime.fromMillis(now(), { zone: window.timeZone }).toISODate() ?? ''
  const checks = pageOfRows(
    rows,
    shown.length,
    (row) => row.id,
    (row) => row,
  )
  const items: ProjectCheck[] = []
  for (const row of checks.items) {
    // One may be about twenty sites of ten thousand operations each: others have their turn between two.
    await nextTurn()
    items.push(listed(row, sites, today))
  }
  return { ...describeWindow(window), items, next: checks.next } satisfies ProjectChecks
}

/** All of them in one file; each page is read when the one before was written. */
async function exported(
  deps: CheckDeps,
  context: RequestContext,
  id: string,
  query: QueryOf<'projectsExportChecks'>,
): Promise<CheckFile> {
  const pageAfter = (cursor: string | undefined) =>
    list(deps, context, id, { ...query, limit: CHECK_ITEMS_MAX, ...(cursor && { cursor }) })
  return writeChecks(await pageAfter(undefined), pageAfter)
}

const get = async ({ database }: CheckDeps, { orgId }: RequestContext, id: string) =>
  versioned(await readRow(database, orgId, id, store.findCheck))

async function set({ database }: CheckDeps, context: RequestContext, id: string, body: CheckInput) {
  requireWhole(body)
  const row = await database.change(context, async (tx) => {
    const before = await lockForChange(store.lockCheck, tx, context, id)
    await requireOwnSites(tx, context.orgId, body, presentCheck(before))
    const changed = changedFields(presentCheck(before), presentCheck({ ...before, ...checkColumns(body) }))
    if (isUnchanged(changed)) return before
    const after = await store.updateCheck(tx, context.orgId, id, checkColumns(body))
    tx.record({
      action: 'projectItem.setCheck',
      target: { kind: 'projectItem', id },
      before: { name: before.name, ...changed.before },
      after: { name: before.name, ...changed.after },
    })
    return after
  })
  return versioned(row)
}

/** The operations on the checks of projects. */
export const createCheckService = (deps: CheckDeps) => bindDependencies(deps, { list, exported, get, set })

export type CheckService = ReturnType<typeof createCheckService>

/** A site that was removed may stay tied; a new tie names one that is there. */
async function requireOwnSites(tx: Transaction, orgId: string, { ties }: CheckInput, before: Check) {
  const known = new Set(before.ties.map(({ siteId }) => siteId))
  const asked = [...new Set(ties.map(({ siteId }) => siteId))].filter((siteId) => !known.has(siteId))
  const names = await store.findSiteNames(tx, orgId, asked.filter(isUuid))
  const missing = ties.findIndex(({ siteId }) => !known.has(siteId) && !names.has(siteId))
  if (missing !== -1) throw invalid(`/ties/${missing}/siteId`, 'is no site of the organization')
}

/** How many of the rows fit into a page by the sites and ties that they have; at least one. */
function boundedCount(rows: readonly store.CheckRow[], limit: number): number {
  const sites = new Set<string>()
  let ties = 0
  for (const [index, row] of rows.slice(0, limit).entries()) {
    ties += row.ties.length
    for (const { siteId } of row.ties) sites.add(siteId)
    if (index > 0 && (sites.size > CHECK_SITES_MAX || ties > TIES_MAX)) return index
  }
  return Math.min(rows.length, limit)
}

/**
 * From the launch of the project to its end, or to that of its retest, as far as it has come; to now where it is asked from a moment
 * after its end on. Throws `BadParameter`.
 */
function windowOf(project: ProjectRow, query: WindowQuery, now: number): Window {
  const ends = [project.end_date, project.is_retest_needed ? project.retesting_end : null]
    .flatMap((end) => (end === null ? [] : Date.parse(end)))
    .filter((end) => end > 0)
  const end = Math.max(...ends)
  const launch = project.launch_date === null ? Number.NaN : Date.parse(project.launch_date)
  const lte = query.lte || (ends.length > 0 && end < now ? new Date(end).toISOString() : undefined)
  const isAfterEnd =
    query.gte && !query.lte && readWindow({ ...query, lte: undefined }, now, WINDOW_MS).from >= end
  const read = readWindow({ ...query, lte: isAfterEnd ? undefined : lte }, now, WINDOW_MS)
  const beginsWithLaunch = !query.gte && launch > 0 && launch < read.to
  return beginsWithLaunch ? { ...read, from: launch } : read
}

/** The maps of the sites that are tied, each once. */
async function coveredSites(
  { database, coverageOf }: CheckDeps,
  orgId: string,
  rows: readonly store.CheckRow[],
  window: Window,
): Promise<CoveredSites> {
  const tied = [...new Set(rows.flatMap(({ ties }) => ties.map(({ siteId }) => siteId)))]
  const names = new Map(await database.read(orgId, (tx) => store.findSiteNames(tx, orgId, tied)))
  const { gte, lte } = describeWindow(window)
  const asked = { gte, ...(!window.isOpen && { lte }) }
  const maps = new Map<string, SiteMap>()
  const waiting = [...names.keys()]
  const readMaps = async () => {
    for (let siteId = waiting.pop(); siteId !== undefined; siteId = waiting.pop())
      try {
        maps.set(siteId, await coverageOf(orgId, siteId, asked))
      } catch (error) {
        if (!(error instanceof ProblemError)) throw error
        // Removed since its name was read; or its API cannot be learned now, of which other sites know nothing.
        if (error.code === 'not_found') names.delete(siteId)
        else if (error.code !== 'unavailable') throw error
      }
  }
  await Promise.all(Array.from({ length: MAPS_AT_ONCE }, readMaps))
  return { names, maps }
}

function listed(row: store.CheckRow, sites: CoveredSites, today: string): ProjectCheck {
  const check = presentCheck(row)
  const { id, name, type, location } = row
  return {
    ...{ id, name, type, location },
    ...check,
    isOverdue: isOverdue(check, today),
    ties: presentTies(check, sites),
    verdict: verdictOfCheck(check, sites),
  }
}

const versioned = (row: store.CheckRow): Versioned<Check> => ({
  body: presentCheck(row),
  version: row.version,
})
