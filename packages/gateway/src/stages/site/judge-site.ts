/** The site stage: which site a request is for, and whether it is open now. */

import { noteCaller } from '../../credentials/callers.ts'
import { type Recognizer, triesCredential } from '../../credentials/recognize.ts'
import { GATED_SESSIONS } from '../../credentials/session.ts'
import { type Exchange, type Refusal, refuse, type Stage } from '../../exchange/exchange.ts'
import { noteSite } from '../../exchange/note-site.ts'
import { isOpen } from '../../snapshot/access.ts'

/**
 * Makes the stage: finds the site by exact host and notes it on the exchange and its record. Who asks is noted before a refusal,
 * for the record. The refusal is the same for everybody, and so is the work: where no site has the name, too, or the time that an
 * answer takes would say which names are published.
 */
export const createSiteStage =
  (recognize: Recognizer): Stage =>
  (exchange) => {
    const found = findSite(exchange)
    const refusal = exchange.request.isAskedOfProxy ? (refuseAtProxy(exchange, recognize) ?? found) : found
    if (refusal) noteCaller(exchange, recognize)
    return refusal
  }

function findSite(exchange: Exchange): Refusal | null {
  const { request, snapshot, event } = exchange
  const site = snapshot.siteByHost(request.host)
  if (!site) return refuse(503, 'gate', 'unknown_host', { close: true })
  noteSite(exchange, site)
  return isOpen(site, snapshot, event.time) ? null : refuse(503, 'gate', 'site_closed', { close: true })
}

/** As at CONNECT: who is nobody learns nothing of names there, and a researcher none but those of their organization. */
export function refuseAtProxy(exchange: Exchange, recognize: Recognizer): Refusal | null {
  const caller = recognize(exchange)
  const reason = triesCredential(exchange, GATED_SESSIONS) ? 'unknown_credential' : 'no_credential'
  if (!caller) return refuse(401, 'gate', reason)
  const { orgId } = caller.researcher
  return exchange.event.orgId === orgId ? null : refuse(403, 'gate', 'unknown_host', { close: true })
}
