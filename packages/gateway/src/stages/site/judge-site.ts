/** The site stage: which site a request is for, and whether it is open now. */
import type { SiteConfig } from '@sallyport/contract'
import type { Exchange, Refusal } from '../../exchange/exchange.ts'
import { refuse } from '../../exchange/exchange.ts'
import type { Snapshot } from '../../snapshot/snapshot.ts'

/** Finds the site by exact host and notes it on the exchange and its record. */
export function judgeSite(exchange: Exchange): Refusal | null {
  const { request, snapshot, event } = exchange
  const site = snapshot.siteByHost(request.host)
  if (!site) return refuse(503, 'gate', 'unknown_host')
  exchange.site = site
  event.siteId = site.config.id
  event.orgId = site.config.orgId
  return isOpen(site.config, snapshot, event.time) ? null : refuse(503, 'gate', 'site_closed')
}

type OpenTimes = Pick<SiteConfig, 'enabled' | 'startsAt' | 'stopsAt' | 'orgId'>

/** Whether a site is open at an instant: enabled, its organization open, and within [start, stop). */
export function isOpen(site: OpenTimes, snapshot: Snapshot, now: number): boolean {
  const { enabled, startsAt, stopsAt, orgId } = site
  return (
    enabled &&
    (startsAt === null || now >= startsAt) &&
    (stopsAt === null || now < stopsAt) &&
    snapshot.organization(orgId)?.open === true
  )
}
