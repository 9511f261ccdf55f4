/** Files the record of an exchange under a site. */

import type { CompiledSite } from '../snapshot/snapshot.ts'
import type { Exchange } from './exchange.ts'

/** Before the request is judged, so also for strangers: it takes the same time as under a name that no site has. */
export function noteSite(exchange: Exchange, site: CompiledSite): void {
  const { event } = exchange
  exchange.site = site
  event.siteId = site.config.id
  event.orgId = site.config.orgId
}
