/**
 * What the busiest pages show first, asked for as soon as their address is known: the answers are on their way while
 * the code of the page still loads. The page's own hooks find them under the same keys.
 */

import { sitesQuery } from '../api/queries/site-queries.ts'
import { FACET_VALUES, facetsQuery, timelineQuery } from '../api/traffic/analytics-queries.ts'
import { requestLogQuery } from '../api/traffic/request-queries.ts'
import { chosenZone } from '../design/time/time.tsx'
import { filtersOf, OVERVIEW_FACETS, type TrafficSearch, type WindowSearch } from '../parts/traffic/search.ts'
import type { RouterContext } from './router.tsx'

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
