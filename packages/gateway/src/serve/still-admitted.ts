/** The decision on who may enter, taken once more for a request that was admitted before. */
import { isAdmitted } from '@sallyport/policy'
import { isStillValid } from '../credentials/recognize.ts'
import type { Exchange } from '../exchange/exchange.ts'
import { accessTo } from '../snapshot/access.ts'
import type { Snapshot } from '../snapshot/snapshot.ts'

/** Whether an exchange would still be admitted at an instant (milliseconds since the epoch): site, researcher and credential. */
export function isStillAdmitted(exchange: Exchange, snapshot: Snapshot, now: number): boolean {
  const site = snapshot.siteByHost(exchange.request.host)
  const { researcher: before, event, credentialExpiresAt, keyId } = exchange
  if (!site || !before || site.config.id !== event.siteId) return false
  const researcher = snapshot.researcher(before.id)
  if (!researcher || !isAdmitted(accessTo(site, researcher, snapshot, now))) return false
  if (credentialExpiresAt !== null && now >= credentialExpiresAt) return false
  return isStillValid({ researcher: before, credential: event.credential, keyId }, researcher)
}
