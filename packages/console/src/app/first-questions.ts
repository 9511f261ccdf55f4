/**
 * What the busiest pages show first, asked for as soon as their address is known: the answers are on their way while
 * the code of the page still loads. The page's own hooks find them under the same keys.
 */
import { FACET_VALUES, facetsQuery, timelineQuery } from '../api/analytics-queries.ts'
import { requestLogQuery } from '../api/request-queries.ts'
import { sitesQuery } from '../api/site-queries.ts'
import { chosenZone } from '../design/time.tsx'
import type { RouterContext } from './router.tsx'
import { filtersOf, OVERVIEW_FACETS, type TrafficSearch, type WindowSearch } from './search.ts'

export function askForOverview({ api, queryClient }: RouterContext, window: WindowSearch): void {
  void queryClient.prefetchQuery(sitesQuery(api))
  void queryClient.prefetchQuery(timelineQuery(api, window, chosenZone()))
  void queryClient.prefetchQuery(facetsQuery(api, window, OVERVIEW_FACETS, FACET_VALUES))
}

export function askForTraffic({ api, queryClient }: RouterContext, search: TrafficSearch): void {
  if (search.live) return
  const filters = filtersOf(search)
  void queryClient.prefetchQuery(timelineQuery(api, filters, chosenZone()))
  void queryClient.prefetchInfiniteQuery(requestLogQuery(api, filters))
}
