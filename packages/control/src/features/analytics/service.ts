/** The analytics of one organization: the four operations of the specification, and what the console asks beyond them. */
import type { TrafficStore } from '../../analytics/connection.ts'
import type { TrafficFilter } from '../../analytics/filter.ts'
import { BadInterval, bucketStarts, chooseInterval } from '../../analytics/interval.ts'
import type { Scope } from '../../analytics/predicate.ts'
import { type RuleTimeline, rulesTimeline } from '../../analytics/queries/rules-timeline.ts'
import { summary, type UrlFilter, type UrlSummary } from '../../analytics/queries/summary.ts'
import { type TimelineBucket, timeline } from '../../analytics/queries/timeline.ts'
import { type Totals, totals } from '../../analytics/queries/totals.ts'
import {
  BadParameter,
  describeWindow,
  readWindow,
  type Window,
  type WindowQuery,
} from '../../analytics/window.ts'

/** A site as the summary needs it, to find it by its names. */
export interface SiteNames {
  readonly id: string
  readonly gatedName: string
  readonly originName: string
}

export interface AnalyticsDependencies {
  readonly store: TrafficStore
  readonly sitesOf: (orgId: string) => Promise<readonly SiteNames[]>
  readonly now?: () => number
}

export type FilteredQuery = WindowQuery & TrafficFilter
export type TimelineQuery = FilteredQuery & { readonly interval?: string | undefined }

interface AnsweredWindow {
  readonly gte: string
  readonly lte: string
}
interface AnsweredBuckets extends AnsweredWindow {
  readonly interval: string
  readonly timeZone: string
}

/** All of it answers plain documents and throws `BadParameter` for what cannot be read. */
export interface AnalyticsService {
  totals(orgId: string, query: FilteredQuery): Promise<AnsweredWindow & Totals>
  timeline(orgId: string, query: TimelineQuery): Promise<AnsweredBuckets & { buckets: TimelineBucket[] }>
  rulesTimeline(
    orgId: string,
    query: TimelineQuery,
  ): Promise<AnsweredBuckets & { times: string[]; rules: RuleTimeline[] }>
  summary(
    orgId: string,
    query: FilteredQuery & { readonly urls?: readonly string[] | undefined },
  ): Promise<AnsweredWindow & { rows: UrlSummary[] }>
}

export function createAnalyticsService({
  store,
  sitesOf,
  now = Date.now,
}: AnalyticsDependencies): AnalyticsService {
  const open = (orgId: string, query: FilteredQuery): { window: Window; scope: Scope } => {
    const window = readWindow(query, now())
    return { window, scope: { orgId, from: window.from, to: window.to, filter: query } }
  }
  return {
    totals: async (orgId, query) => {
      const { window, scope } = open(orgId, query)
      return { ...describeWindow(window), ...(await totals(store, scope)) }
    },
    timeline: async (orgId, query) => {
      const { window, scope } = open(orgId, query)
      const { interval, starts } = readBuckets(query, window)
      const buckets = await timeline(store, scope, starts)
      return { ...describeWindow(window), interval, timeZone: window.timeZone, buckets }
    },
    rulesTimeline: async (orgId, query) => {
      const { window, scope } = open(orgId, query)
      const { interval, starts } = readBuckets(query, window)
      const times = starts.map((start) => new Date(start).toISOString())
      const rules = await rulesTimeline(store, scope, starts)
      return { ...describeWindow(window), interval, timeZone: window.timeZone, times, rules }
    },
    summary: async (orgId, query) => {
      const { window, scope } = open(orgId, query)
      const urls = query.urls && query.urls.length > 0 ? findUrls(query.urls, await sitesOf(orgId)) : []
      return { ...describeWindow(window), rows: await summary(store, scope, urls) }
    },
  }
}

function readBuckets(
  query: TimelineQuery,
  { from, to, timeZone }: Window,
): { interval: string; starts: number[] } {
  const interval = query.interval || chooseInterval(to - from)
  try {
    return { interval, starts: bucketStarts(interval, from, to, timeZone) }
  } catch (error) {
    if (error instanceof BadInterval) throw new BadParameter('interval', error.message)
    throw error
  }
}

/**
 * Reads the `urls` of a summary: a gated name, an origin name, or either with a path, with or without a scheme. A name
 * that no site has still selects what was recorded under it as a host, such as that of a deleted site.
 */
export function findUrls(urls: readonly string[], sites: readonly SiteNames[]): UrlFilter[] {
  return urls.map((url) => {
    const bare = bareName(url)
    const slash = bare.indexOf('/')
    const name = (slash === -1 ? bare : bare.slice(0, slash)).toLowerCase()
    const routePrefix = slash === -1 ? '' : bare.slice(slash)
    const named = sites.filter(
      (site) => site.gatedName.toLowerCase() === name || bareName(site.originName).toLowerCase() === name,
    )
    return {
      siteIds: named.map((site) => site.id),
      hosts: [name],
      routePrefix: routePrefix === '/' ? '' : routePrefix,
    }
  })
}

const bareName = (url: string): string =>
  url
    .trim()
    .replace(/^https?:\/\//i, '')
    .replace(/\/$/, '')
