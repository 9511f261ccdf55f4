import type { QueryContext } from '../../api/query-client.ts'
import { timelineQuery } from '../../api/traffic/analytics-queries.ts'
import { requestLogQuery } from '../../api/traffic/request-queries.ts'
import { filtersOf, type TrafficSearch } from '../../parts/traffic/search.ts'
import { chosenZone } from '../../session/time-zone.tsx'

/** Prefetches what the traffic page shows first while its code loads; its hooks find the answers under the same keys. */
export function prefetchTraffic({ api, queryClient }: QueryContext, search: TrafficSearch): void {
  const filters = filtersOf(search)
  void queryClient.prefetchQuery(timelineQuery(api, filters, chosenZone(), true))
  if (!search.live) void queryClient.prefetchInfiniteQuery(requestLogQuery(api, filters))
}
