/**
 * The counts that the original interface has beside those of its specification (decision 0306). What they count is what the
 * other analytics count; only the shapes of the answers are of their own.
 */
import { bindDependencies } from '../../../http/bind-dependencies.ts'
import { BadParameter, type WindowQuery } from '../../../http/request/window.ts'
import { type AnalyticsDeps, namedSites, open, openBuckets } from '../service.ts'
import { activity } from '../store/activity.ts'
import { facet } from '../store/facets.ts'
import {
  attackClasses,
  attackClassesOverTime,
  type SiteClassCount,
} from '../store/original/attack-classes.ts'
import { RESEARCHER_HOURS_MAX, researcherHours } from '../store/original/researcher-hours.ts'
import { wafMessages } from '../store/original/waf-messages.ts'
import { timeline } from '../store/timeline.ts'
import { attackTypeOf, byAttackType } from './attack-types.ts'

export interface OriginalAnalyticsDeps extends AnalyticsDeps {
  /** E-mail addresses of researchers, by their ids. */
  readonly emailsOf: (orgId: string, ids: readonly string[]) => Promise<ReadonlyMap<string, string>>
}

interface SiteQuery extends WindowQuery {
  readonly url: readonly string[]
}

interface Interval {
  readonly interval?: string | undefined
}

/** Requests of researchers, and not of strangers. */
const OF_RESEARCHERS = { hacker: ['!'] } as const
const USERS_MAX = 10
const PATHS_MAX = 1_000

async function mostActiveUsers(deps: OriginalAnalyticsDeps, orgId: string, query: SiteQuery) {
  const { scope } = await open(deps, orgId, { ...query, ...OF_RESEARCHERS })
  const busiest = (await activity(deps.store, scope, 'hacker')).slice(0, USERS_MAX)
  const userOf = await usersBy(
    deps,
    orgId,
    busiest.map(({ value }) => value),
  )
  return busiest.map(({ value, requests }) => ({ ...userOf(value), count: requests }))
}

async function pathDiscovery(deps: OriginalAnalyticsDeps, orgId: string, query: SiteQuery) {
  const { scope } = await open(deps, orgId, { ...query, ...OF_RESEARCHERS })
  const { values } = await facet(deps.store, scope, 'path', PATHS_MAX)
  return values.map(({ value, count }) => ({ path: value, count }))
}

async function trafficTable(deps: OriginalAnalyticsDeps, orgId: string, query: SiteQuery) {
  const { scope, starts } = await openHours(deps, orgId, query)
  const rows = await researcherHours(deps.store, scope, starts)
  if (rows.length > RESEARCHER_HOURS_MAX)
    throw new BadParameter(
      'gte',
      `begins a window of more than ${RESEARCHER_HOURS_MAX} rows: take a later one`,
    )
  const ids = [...new Set(rows.map((row) => row.researcher_id))]
  const userOf = await usersBy(deps, orgId, ids)
  return rows
    .toSorted((left, right) => left.bucket - right.bucket || right.requests - left.requests)
    .map(({ bucket, researcher_id, requests }) => ({
      time: timeOf(starts[bucket] ?? 0),
      ...userOf(researcher_id),
      count: requests,
    }))
}

/** Hours are chosen by no caller: where there are too many, it is the window that is too long. */
async function openHours(deps: OriginalAnalyticsDeps, orgId: string, query: SiteQuery) {
  try {
    return await openBuckets(deps, orgId, { ...query, ...OF_RESEARCHERS, interval: '1h' })
  } catch (error) {
    if (error instanceof BadParameter && error.parameter === 'interval')
      throw new BadParameter('gte', 'begins a window of too many hours: take a later one')
    throw error
  }
}

async function summaryTimeline(
  deps: OriginalAnalyticsDeps,
  orgId: string,
  { urls, ...query }: WindowQuery & Interval & { readonly urls: readonly string[] },
) {
  const sites = await namedSites(deps, orgId, urls, (index) => `urls/${index}`)
  const site = sites.map(({ id }) => id)
  const { scope, starts, asked } = await openBuckets(deps, orgId, { ...query, site })
  return { ...asked, buckets: await timeline(deps.store, scope, starts) }
}

async function messages(deps: OriginalAnalyticsDeps, orgId: string, query: SiteQuery) {
  const { scope } = await open(deps, orgId, query)
  const found = await wafMessages(deps.store, scope)
  return found.map(({ rule, class: attackClass, severity, reason, count, ...request }) => {
    const type = attackTypeOf(attackClass)
    return { ruleId: rule, message: reason || type, type, severity, count, request }
  })
}

async function attackTypes(deps: OriginalAnalyticsDeps, orgId: string, query: SiteQuery) {
  const { scope } = await open(deps, orgId, query)
  return byAttackType(await attackClasses(deps.store, scope), (type, ofType) => ({
    type,
    total: sumOf(ofType.map(({ total }) => total)),
  })).map(({ type, total }) => ({ type, count: total }))
}

async function attackTypesTimeline(deps: OriginalAnalyticsDeps, orgId: string, query: SiteQuery & Interval) {
  const sites = await namedSites(deps, orgId, query.url)
  const { scope, starts, asked } = await openBuckets(deps, orgId, query)
  const bySite = Map.groupBy(await attackClassesOverTime(deps.store, scope, starts), (row) => row.site_id)
  return {
    ...asked,
    times: starts.map(timeOf),
    sites: sites
      .flatMap(({ id, gatedName }) => {
        const rows = bySite.get(id)
        return rows ? { url: gatedName, siteId: id, types: typesOverTime(rows, starts.length) } : []
      })
      .toSorted((left, right) => (left.url < right.url ? -1 : 1)),
  }
}

const typesOverTime = (rows: readonly SiteClassCount[], buckets: number) =>
  byAttackType(rows, (type, ofType) => {
    const counts = new Array<number>(buckets).fill(0)
    for (const { bucket, hits } of ofType) counts[bucket] = (counts[bucket] ?? 0) + hits
    return { type, total: sumOf(counts), counts }
  })

/** The operations, bound to what they need. They answer plain documents and throw `BadParameter` for what cannot be read. */
export const createOriginalAnalyticsService = (deps: OriginalAnalyticsDeps) =>
  bindDependencies(deps, {
    mostActiveUsers,
    pathDiscovery,
    trafficTable,
    summaryTimeline,
    messages,
    attackTypes,
    attackTypesTimeline,
  })

export type OriginalAnalyticsService = ReturnType<typeof createOriginalAnalyticsService>

/** Makes of an id who that is. The address of one who was removed is not known any more. */
async function usersBy({ emailsOf }: OriginalAnalyticsDeps, orgId: string, ids: readonly string[]) {
  const emails = await emailsOf(orgId, ids)
  return (id: string) => ({ id, email: emails.get(id) ?? '' })
}

const timeOf = (startMs: number): string => new Date(startMs).toISOString()
const sumOf = (numbers: readonly number[]): number => numbers.reduce((sum, number) => sum + number, 0)
