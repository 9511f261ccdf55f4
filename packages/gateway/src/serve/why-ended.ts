/** The decision on who may enter, taken once more for a request that was admitted before. */
import type { OriginConfig } from '@sallyport/contract'
import { isAdmitted } from '@sallyport/policy'
import type { Closures } from '../closures/closures.ts'
import { keyOf } from '../credentials/password-key.ts'
import { isStillValid } from '../credentials/recognize.ts'
import type { Exchange } from '../exchange/exchange.ts'
import type { EndReason } from '../exchange/refuse-ended.ts'
import type { Lease } from '../lease/lease.ts'
import { accessTo, isOpen } from '../snapshot/access.ts'
import type { Snapshot } from '../snapshot/snapshot.ts'

/** What is asked about the present. */
export interface Present {
  readonly snapshot: Snapshot
  readonly lease: Lease
  readonly closures: Closures
  /** Milliseconds since the epoch. */
  readonly now: number
}

/** Why an exchange would not be admitted any more; null where it would. */
export function whyEnded(exchange: Exchange, { snapshot, lease, closures, now }: Present): EndReason | null {
  if (!isStillAdmitted(exchange, snapshot, now)) return 'access_ended'
  if (closures.isClosed(exchange.event)) return 'gateway_closed'
  return lease.isOver(snapshot, exchange.event.orgId) ? 'lease_ended' : null
}

/** Site with its origin, researcher and credential. */
function isStillAdmitted(exchange: Exchange, snapshot: Snapshot, now: number): boolean {
  const site = snapshot.siteByHost(exchange.request.host)
  const { researcher: before, event, credentialExpiresAt, keyId } = exchange
  if (!site || site.config.id !== event.siteId) return false
  // What was let in to one origin was not let in to go on there when the site has left it.
  if (exchange.site && !isSameOrigin(site.config.origin, exchange.site.config.origin)) return false
  if (exchange.isForwardedPreflight)
    return site.config.preflights === 'forward' && isOpen(site, snapshot, now)
  if (!before) return false
  const researcher = snapshot.researcher(before.id)
  if (!researcher || !isAdmitted(accessTo(site, researcher, snapshot, now))) return false
  if (credentialExpiresAt !== null && now >= credentialExpiresAt) return false
  // A site may have stopped to take keys in the way in which this one came.
  if (event.credential === 'key' && keyOf({ request: exchange.request, site }) === '') return false
  return isStillValid({ researcher: before, credential: event.credential, keyId }, researcher)
}

const isSameOrigin = (one: OriginConfig, other: OriginConfig): boolean =>
  one === other || (one.scheme === other.scheme && one.host === other.host && one.port === other.port)
