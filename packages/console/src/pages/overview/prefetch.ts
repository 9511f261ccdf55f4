import type { Facet } from '@sallyport/contract'
import { sitesQuery } from '../../api/queries/site-queries.ts'
import type { QueryContext } from '../../api/query-client.ts'
import { FACET_VALUES, facetsQuery, timelineQuery } from '../../api/traffic/analytics-queries.ts'
import type { TimeWindow } from '../../api/traffic/request-filters.ts'
import { chosenZone } from '../../session/time-zone.tsx'

/** The fields that the overview counts. */
export const OVERVIEW_FACETS = ['hacker', 'firewallRule', 'rule'] as const satisfies readonly Facet[]

/** Prefetches what the overview shows first while its code loads; its hooks find the answers under the same keys. */
export function prefetchOverview({ api, queryClient }: QueryContext, window: TimeWindow): void {
  void queryClient.prefetchQuery(sitesQuery(api))
  void queryClient.prefetchQuery(timelineQuery(api, window, chosenZone()))
  void queryClient.prefetchQuery(facetsQuery(api, window, OVERVIEW_FACETS, FACET_VALUES))
}
