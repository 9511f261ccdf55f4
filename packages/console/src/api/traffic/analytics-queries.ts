/** Charts and counts. The previous answer stays on screen while that to a changed filter loads, so that nothing jumps. */
import type { Facet } from '@sallyport/contract'
import { keepPreviousData, useQueries, useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { useTimeZone } from '../../session/time-zone.tsx'
import { type Api, type Output, useServices } from '../api.tsx'
import { apiQuery, useApiQuery } from '../api-query.ts'
import { apiFilters, DEFAULT_GTE, type RequestFilters, type TimeWindow } from './request-filters.ts'

const REFRESH_MS = 5_000
const FACETS_REFRESH_MS = 15_000
export const FACET_VALUES = 10
/** Rows of an activity are no more than this. */
const ACTIVITY_ROWS_MAX = 1_000

/** A window that ends now moves on by itself; one between two instants does not change. */
const refreshOf = (window: TimeWindow): number | false => (window.lte ? false : REFRESH_MS)

/**
 * Requests over time, on request with what people changed meanwhile, for who may read that. A page's route prefetches it while the code of
 * the page loads.
 */
export const timelineQuery = (api: Api, filters: RequestFilters, zone: string, withChanges: boolean) =>
  apiQuery(api, ['timeline', filters, zone, withChanges], 'analyticsGetTimeline', {
    query: {
      ...{ ...apiFilters(filters), timeZone: zone },
      ...(withChanges && { include: 'changes' as const }),
    },
  })

export function useTimeline(filters: RequestFilters, withChanges = false) {
  const { api } = useServices()
  const { zone } = useTimeZone()
  return useQuery({
    ...timelineQuery(api, filters, zone, withChanges),
    placeholderData: keepPreviousData,
    refetchInterval: refreshOf(filters),
  })
}

/** The most frequent values of some fields. */
export const facetsQuery = (api: Api, filters: RequestFilters, fields: readonly Facet[], values: number) =>
  apiQuery(api, ['facets', filters, fields, values], 'analyticsGetFacets', {
    query: {
      ...{ ...apiFilters(filters), field: [...fields], values },
      ...(fields.includes('hacker') && { include: 'names' as const }),
    },
  })

/** Counting reads far more than a timeline does, so it waits where `ready` is false, and is repeated less often. */
export function useFacets(
  filters: RequestFilters,
  fields: readonly Facet[],
  values = FACET_VALUES,
  ready = true,
) {
  const { api } = useServices()
  return useQuery({
    ...facetsQuery(api, filters, fields, values),
    placeholderData: keepPreviousData,
    enabled: ready,
    refetchInterval: filters.lte ? false : FACETS_REFRESH_MS,
  })
}

/** Hosts out of the gate to which answers of a site lead, with whichever of them are origins of sites. */
export const useOutsideHosts = (site: string, gte: string, values: number) =>
  useApiQuery(
    ['outside-hosts', site, gte, values],
    'analyticsGetFacets',
    { query: { gte, site: [site], field: ['leadsTo'], values, include: 'sites' } },
    { refetchInterval: FACETS_REFRESH_MS },
  )

const activityQuery = (api: Api, by: 'hacker' | 'site', ids?: readonly string[]) =>
  apiQuery(api, ['activity', by, ids], 'analyticsGetActivity', {
    query: { gte: DEFAULT_GTE, by, ...(ids ? { [by]: [...ids] } : {}) },
  })

/** How many requests each of these researchers, or each site, sent in the last 24 hours; queried a page of a list at a time. */
export function useDayCounts(
  by: 'hacker' | 'site',
  pages: readonly (readonly string[] | undefined)[] = [undefined],
): (id: string) => number {
  const { api } = useServices()
  const counts = useQueries({
    queries: pages
      .filter((ids) => ids?.length !== 0)
      .map((ids) => ({ ...activityQuery(api, by, ids), refetchInterval: REFRESH_MS })),
    combine: countsByValue,
  })
  return (id) => counts.get(id) ?? 0
}

const countsByValue = (
  answers: readonly { readonly data: Output<'analyticsGetActivity'> | undefined }[],
): ReadonlyMap<string, number> =>
  new Map(answers.flatMap(({ data }) => data?.rows.map((row) => [row.value, row.requests] as const) ?? []))

/** Requests of the sites in the last 24 hours. */
export interface SitesActivity {
  /** Undefined where it is not known, because more sites have requests than are counted. */
  readonly requestsOf: (siteId: string) => number | undefined
  /** By the hour. */
  readonly hoursOf: (siteId: string) => readonly number[]
}

/** Undefined until it is known. */
export function useSitesActivity(): SitesActivity | undefined {
  const { data } = useApiQuery(
    ['activity', 'site', 'hours'],
    'analyticsGetActivity',
    { query: { gte: DEFAULT_GTE, by: 'site', interval: '1h' } },
    { refetchInterval: FACETS_REFRESH_MS },
  )
  return useMemo(() => {
    if (!data) return undefined
    const rows = new Map(data.rows.map((row) => [row.value, row] as const))
    const others = rows.size < ACTIVITY_ROWS_MAX ? 0 : undefined
    return {
      requestsOf: (siteId) => rows.get(siteId)?.requests ?? others,
      hoursOf: (siteId) => rows.get(siteId)?.counts ?? [],
    }
  }, [data])
}

/** Matches of the firewall over time, by rule. Of the filters only the site and the researcher count. */
export function useRulesTimeline({ gte = DEFAULT_GTE, lte, site, hacker }: RequestFilters) {
  const { zone } = useTimeZone()
  const window = { gte, lte, site: site && [...site], hacker: hacker && [...hacker] }
  return useApiQuery(
    ['rules-timeline', window, zone],
    'analyticsGetWafSummaryRulesTimeline',
    { query: { ...window, timeZone: zone } },
    { placeholderData: keepPreviousData, refetchInterval: refreshOf(window) },
  )
}

/** The counted values of one field, most frequent first. */
export function facetValues(
  facets:
    | { readonly facets: readonly { readonly field: Facet; readonly values: readonly FacetValue[] }[] }
    | undefined,
  field: Facet,
): readonly FacetValue[] {
  return facets?.facets.find((one) => one.field === field)?.values ?? []
}
export interface FacetValue {
  readonly value: string
  readonly count: number
}
