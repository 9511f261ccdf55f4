import { sitesQuery } from '../../api/queries/site-queries.ts'
import type { QueryContext } from '../../api/query-client.ts'
import type { TimeWindow } from '../../api/traffic/request-filters.ts'
import { situationQuery } from '../../api/traffic/situation-queries.ts'
import { chosenZone } from '../../session/time-zone.tsx'

/** Prefetches what the overview shows first while its code loads; its hooks find the answers under the same keys. */
export function prefetchOverview({ api, queryClient }: QueryContext, window: TimeWindow): void {
  void queryClient.prefetchQuery(sitesQuery(api))
  void queryClient.prefetchQuery(situationQuery(api, window, chosenZone()))
}
