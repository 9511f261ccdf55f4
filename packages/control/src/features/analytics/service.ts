/** The analytics of one organization: the four operations of the specification, and what the console asks beyond them. */
import { FACETS, type Facet, isUuid, type TrafficEvent } from '@sallyport/contract'
import { bindDependencies } from '../../http/bind-dependencies.ts'
import {
  BadParameter,
  describeWindow,
  readWindow,
  type Window,
  type WindowQuery,
} from '../../http/request/window.ts'
import type { LiveTail } from '../../live-tail/live-tail.ts'
import type { TrafficStore } from '../../traffic-store/connection.ts'
import { readCursor, writeCursor } from './cursor.ts'
import { narrowestExclusion } from './exclusion-proposal.ts'
import { type ExportFormat, type ExportStream, exportStream } from './export/export.ts'
import { passes, type TrafficFilter } from './query/filter.ts'
import { BadInterval, bucketStarts, chooseInterval } from './query/interval.ts'
import { DAY_MS } from './query/time-segments.ts'
import { findNamedSites, findUrls, type SiteNames } from './site-names.ts'
import { type Activity, type ActivityKey, activity, activityOverTime } from './store/activity.ts'
import { type ExclusionPattern, tryExclusion } from './store/exclusion-trial.ts'
import { type FacetValues, facet } from './store/facets.ts'
import type { Scope } from './store/predicate.ts'
import { readAll } from './store/read-all.ts'
import { positionOf, readRequest, readRequests } from './store/request-log.ts'
import { rulesSummary } from './store/rules-summary.ts'
import { rulesTimeline } from './store/rules-timeline.ts'
import { summary } from './store/summary.ts'
import { timeline } from './store/timeline.ts'
import { totals } from './store/totals.ts'
import { tailStream } from './tail-stream.ts'

export interface AnalyticsDeps {
  readonly store: TrafficStore
  readonly sitesOf: (orgId: string) => Promise<readonly SiteNames[]>
  readonly gateDomain: string
  readonly tail: Pick<LiveTail, 'follow'>
  /** From when on the record of an organization is kept, milliseconds since the epoch. */
  readonly keptFrom: (orgId: string) => number
  readonly now?: () => number
}

export type FilteredQuery = WindowQuery & TrafficFilter
export type TimelineQuery = NamedQuery & { readonly interval?: string | undefined }

export interface RecordedHit extends WindowQuery {
  readonly requestId: string
  readonly rule: string
  readonly part?: string | undefined
  readonly parameter?: string | undefined
  readonly furtherRules?: readonly string[] | undefined
}

export type PagedQuery = FilteredQuery & { readonly limit: number; readonly cursor?: string | undefined }

interface SiteExclusion {
  readonly siteId: string
  readonly exclusion: ExclusionPattern
  readonly furtherRules?: readonly string[] | undefined
}

/** Buckets of each row of an activity, of which there may be a thousand. */
const ACTIVITY_BUCKETS_MAX = 200

/** A trial of an exclusion looks back this far unless the query says otherwise. */
const TRIAL_WINDOW_MS = 7 * DAY_MS

/** A query that may name sites by their gated names, too. */
export type NamedQuery = FilteredQuery & { readonly url?: readonly string[] | undefined }

/** The sites of these names. Throws `BadParameter`. */
export const namedSites = async (
  { sitesOf, gateDomain }: AnalyticsDeps,
  orgId: string,
  names: readonly string[],
  parameterOf: (index: number) => string = () => 'url',
): Promise<SiteNames[]> => findNamedSites(names, await sitesOf(orgId), { gateDomain, parameterOf })

/** Reads the window and the filter of a query. */
export async function open(deps: AnalyticsDeps, orgId: string, { url, ...query }: NamedQuery) {
  if (!url) return openFiltered(deps, orgId, query)
  const sites = await namedSites(deps, orgId, url)
  return openFiltered(deps, orgId, { ...query, site: [...(query.site ?? []), ...sites.map(({ id }) => id)] })
}

function openFiltered({ keptFrom, now = Date.now }: AnalyticsDeps, orgId: string, query: FilteredQuery) {
  const window = readWindow(query, now())
  // Of what is older, requests and their sums are deleted at different moments.
  const from = Math.max(window.from, keptFrom(orgId))
  // Without an end, a count needs no finer rollups and requests at the end of its window, which are the most of its cost.
  const to = window.isOpen ? Number.POSITIVE_INFINITY : window.to
  const scope: Scope = { orgId, from, to, filter: query }
  return { window, scope }
}

async function countTotals(deps: AnalyticsDeps, orgId: string, query: NamedQuery) {
  const { window, scope } = await open(deps, orgId, query)
  return { ...describeWindow(window), ...(await totals(deps.store, scope)) }
}

/** Reads the buckets of a query, too. */
export async function openBuckets(deps: AnalyticsDeps, orgId: string, query: TimelineQuery) {
  const { window, scope } = await open(deps, orgId, query)
  const { interval, starts } = readBuckets(query, window)
  return { scope, starts, asked: { ...describeWindow(window), interval, timeZone: window.timeZone } }
}

async function countTimeline(deps: AnalyticsDeps, orgId: string, query: TimelineQuery) {
  const { scope, starts, asked } = await openBuckets(deps, orgId, query)
  return { ...asked, buckets: await timeline(deps.store, scope, starts) }
}

async function countRulesTimeline(deps: AnalyticsDeps, orgId: string, query: TimelineQuery) {
  const { scope, starts, asked } = await openBuckets(deps, orgId, query)
  const times = starts.map((start) => new Date(start).toISOString())
  return { ...asked, times, rules: await rulesTimeline(deps.store, scope, starts) }
}

async function countSummary(
  deps: AnalyticsDeps,
  orgId: string,
  query: FilteredQuery & { readonly urls?: readonly string[] | undefined },
) {
  const { window, scope } = await open(deps, orgId, query)
  const urls =
    query.urls && query.urls.length > 0
      ? findUrls(query.urls, await deps.sitesOf(orgId), deps.gateDomain)
      : []
  return { ...describeWindow(window), rows: await summary(deps.store, scope, urls) }
}

async function requests(deps: AnalyticsDeps, orgId: string, query: PagedQuery) {
  const { window, scope } = await open(deps, orgId, query)
  return readPage(deps.store, scope, window, query)
}

/** The events of one request; none where the organization has no such request. */
const request = async (
  { store, now = Date.now }: AnalyticsDeps,
  orgId: string,
  id: string,
): Promise<TrafficEvent[]> => (isUuid(id) ? readRequest(store, orgId, id, now()) : [])

/** Counts no further once `signal` is aborted: nobody waits for the answer then. */
async function countFacets(
  deps: AnalyticsDeps,
  orgId: string,
  query: FilteredQuery & { readonly field?: readonly Facet[] | undefined; readonly values: number },
  signal?: AbortSignal,
) {
  const { window, scope } = await open(deps, orgId, query)
  const { total } = await totals(deps.store, scope)
  const facets: FacetValues<Facet>[] = []
  // One after the other: they are the most that a page asks for, and must not keep every reader from the rest of it.
  for (const field of query.field ?? FACETS) {
    if (signal?.aborted) break
    facets.push(await facet(deps.store, scope, field, query.values))
  }
  return { ...describeWindow(window), total, facets }
}

/** Of some hosts, as the record has them, those that are the origin of a site. */
async function sitesAtHosts({ sitesOf }: AnalyticsDeps, orgId: string, hosts: ReadonlySet<string>) {
  return (await sitesOf(orgId)).flatMap(({ id, gatedName, originName }) => {
    const host = URL.parse(originName.includes('://') ? originName : `https://${originName}`)?.host
    return host !== undefined && hosts.has(host) ? [{ id, name: gatedName, host }] : []
  })
}

interface ActivityAnswer extends ReturnType<typeof describeWindow> {
  readonly times?: string[]
  readonly rows: (Activity & { readonly counts?: number[] })[]
}

async function countActivity(
  deps: AnalyticsDeps,
  orgId: string,
  query: TimelineQuery & { readonly by: ActivityKey },
): Promise<ActivityAnswer> {
  const { window, scope } = await open(deps, orgId, query)
  const { interval, by } = query
  const asked = describeWindow(window)
  if (!interval) return { ...asked, rows: await activity(deps.store, scope, by) }
  const { starts } = readBuckets(query, window)
  if (starts.length > ACTIVITY_BUCKETS_MAX)
    throw new BadParameter('interval', `makes more than ${ACTIVITY_BUCKETS_MAX} buckets`)
  const times = starts.map((start) => new Date(start).toISOString())
  return { ...asked, times, rows: await activityOverTime(deps.store, scope, by, starts) }
}

async function countRules(deps: AnalyticsDeps, orgId: string, query: NamedQuery) {
  const { window, scope } = await open(deps, orgId, query)
  return { ...describeWindow(window), rows: await rulesSummary(deps.store, scope) }
}

async function runTrial(
  { store, now = Date.now }: AnalyticsDeps,
  orgId: string,
  { siteId, exclusion, furtherRules, gte, lte }: WindowQuery & SiteExclusion,
) {
  const window = readWindow({ gte, lte }, now(), TRIAL_WINDOW_MS)
  const scope = { orgId, from: window.from, to: window.to, filter: { site: [siteId.replace(/^!+/, '')] } }
  return { ...describeWindow(window), ...(await tryExclusion(store, scope, { ...exclusion, furtherRules })) }
}

/** Undefined where the organization has no such request, or the request no such hit that counts. */
async function proposeExclusion(deps: AnalyticsDeps, orgId: string, hit: RecordedHit) {
  const found = narrowestExclusion(await request(deps, orgId, hit.requestId), hit)
  if (!found) return undefined
  const { gte, lte, furtherRules } = hit
  return { ...found, ...(await runTrial(deps, orgId, { ...found, furtherRules, gte, lte })) }
}

/** Server-sent events of what passes, until `ends`. */
const followTail = ({ tail }: AnalyticsDeps, orgId: string, filter: TrafficFilter, ends?: AbortSignal) =>
  tailStream(
    tail.follow(orgId, (event) => passes(event, filter)),
    ends,
  )

/** Every request of the window, until `ends`. */
async function exportRequests(
  deps: AnalyticsDeps,
  orgId: string,
  query: FilteredQuery & { readonly format: ExportFormat },
  ends?: AbortSignal,
): Promise<ExportStream> {
  const { window, scope } = await open(deps, orgId, query)
  // It would not end while requests come.
  return exportStream(readAll(deps.store, { ...scope, to: window.to }, ends), query.format)
}

/** The operations on the recorded traffic. They answer plain documents and throw `BadParameter` for what cannot be read. */
export const createAnalyticsService = (deps: AnalyticsDeps) =>
  bindDependencies(deps, {
    totals: countTotals,
    timeline: countTimeline,
    rulesTimeline: countRulesTimeline,
    summary: countSummary,
    requests,
    request,
    facets: countFacets,
    sitesAtHosts,
    activity: countActivity,
    rules: countRules,
    tryExclusion: runTrial,
    proposeExclusion,
    tail: followTail,
    export: exportRequests,
  })

export type AnalyticsService = ReturnType<typeof createAnalyticsService>

async function readPage(store: TrafficStore, scope: Scope, window: Window, query: PagedQuery) {
  const cursor = query.cursor ? readCursor(query.cursor) : undefined
  const pinned = cursor ? { from: cursor.from, to: cursor.to } : { from: scope.from, to: window.to }
  const direction = cursor?.direction ?? 'older'
  const found = await readRequests(
    store,
    { ...scope, ...pinned },
    direction,
    query.limit + 1,
    cursor?.position,
  )
  const hasMore = found.length > query.limit
  const page = found.slice(0, query.limit)
  const items = direction === 'older' ? page : page.reverse()
  const [first, last] = [items[0], items.at(-1)]
  const leadsTo = (towards: 'older' | 'newer', edge: TrafficEvent | undefined): string | null =>
    edge ? writeCursor({ direction: towards, position: positionOf(edge), ...pinned }) : null
  // Cursors of the following, older, page and of the preceding, newer, one.
  return {
    items,
    next: direction === 'newer' || hasMore ? leadsTo('older', last) : null,
    previous: cursor && (direction === 'older' || hasMore) ? leadsTo('newer', first) : null,
  }
}

function readBuckets(query: TimelineQuery, { from, to, timeZone }: Window) {
  const interval = query.interval || chooseInterval(to - from)
  try {
    return { interval, starts: bucketStarts(interval, from, to, timeZone) }
  } catch (error) {
    if (error instanceof BadInterval) throw new BadParameter('interval', error.message)
    throw error
  }
}
