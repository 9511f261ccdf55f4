/** Charts and counts. What was shown stays on screen while a changed filter loads, so nothing jumps. */
import type { Facet } from '@sallyport/contract'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { DEFAULT_GTE, type RequestFilters, type WindowSearch } from '../app/search.ts'
import { useServices } from '../app/services.tsx'
import { useTime } from '../design/time.tsx'
import type { Input } from './api.ts'

const REFRESH_MS = 5_000

/** A window that ends now moves on by itself; one between two instants does not change. */
const refreshOf = (window: WindowSearch): number | false => (window.lte ? false : REFRESH_MS)

export type Filters = WindowSearch & RequestFilters
/** As the API takes them: mutable lists, by its types. */
export const apiFilters = (filters: Filters) =>
  ({ gte: DEFAULT_GTE, ...filters }) as NonNullable<Input<'analyticsListRequests'>['query']>

export function useTimeline(filters: Filters, refresh = true) {
  const { api } = useServices()
  const { zone } = useTime()
  return useQuery({
    queryKey: ['timeline', filters, zone],
    queryFn: ({ signal }) =>
      api.call('analyticsGetTimeline', { query: { ...apiFilters(filters), timeZone: zone } }, { signal }),
    placeholderData: keepPreviousData,
    refetchInterval: refresh ? refreshOf(filters) : false,
  })
}

export function useFacets(filters: Filters, fields: readonly Facet[], values = 10) {
  const { api } = useServices()
  return useQuery({
    queryKey: ['facets', filters, fields, values],
    queryFn: ({ signal }) =>
      api.call(
        'analyticsGetFacets',
        { query: { ...apiFilters(filters), field: [...fields], values } },
        { signal },
      ),
    placeholderData: keepPreviousData,
    refetchInterval: refreshOf(filters),
  })
}

export function useRulesTimeline(
  window: WindowSearch & {
    readonly site?: readonly string[] | undefined
    readonly hacker?: readonly string[] | undefined
  },
) {
  const { api } = useServices()
  const { zone } = useTime()
  return useQuery({
    queryKey: ['rules-timeline', window, zone],
    queryFn: ({ signal }) =>
      api.call(
        'analyticsGetWafSummaryRulesTimeline',
        {
          query: {
            gte: window.gte ?? DEFAULT_GTE,
            lte: window.lte,
            site: window.site && [...window.site],
            hacker: window.hacker && [...window.hacker],
            timeZone: zone,
          },
        },
        { signal },
      ),
    placeholderData: keepPreviousData,
    refetchInterval: refreshOf(window),
  })
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
