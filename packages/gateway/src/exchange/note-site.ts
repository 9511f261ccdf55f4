/** Files the record of an exchange under a site. */

import type { CompiledSite } from '../snapshot/snapshot.ts'
import type { Exchange } from './exchange.ts'

/** Its route is the template of the site's API, where one is known. */
export function noteSite(exchange: Exchange, site: CompiledSite): void {
  const { event } = exchange
  exchange.site = site
  event.siteId = site.config.id
  event.orgId = site.config.orgId
  event.route = site.templateOf(event.path) ?? event.route
}
