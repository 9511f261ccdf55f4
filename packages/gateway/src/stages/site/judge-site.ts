/** The site stage: which site a request is for, and whether it is open now. */

import type { Exchange, Refusal } from '../../exchange/exchange.ts'
import { refuse } from '../../exchange/exchange.ts'
import { isOpen } from '../../snapshot/access.ts'

/** Finds the site by exact host and notes it on the exchange and its record. */
export function judgeSite(exchange: Exchange): Refusal | null {
  const { request, snapshot, event } = exchange
  const site = snapshot.siteByHost(request.host)
  if (!site) return refuse(503, 'gate', 'unknown_host')
  exchange.site = site
  event.siteId = site.config.id
  event.orgId = site.config.orgId
  return isOpen(site, snapshot, event.time) ? null : refuse(503, 'gate', 'site_closed')
}
