/** The site stage: which site a request is for. */

import { noteCaller } from '../../credentials/callers.ts'
import { type Recognizer, triesCredential } from '../../credentials/recognize.ts'
import { GATED_SESSIONS } from '../../credentials/session.ts'
import { type Exchange, type Refusal, refuse, type Stage } from '../../exchange/exchange.ts'
import { noteSite } from '../../exchange/note-site.ts'

/** Makes the stage: finds the site by exact host and notes it on the exchange and its record. A proxy asks who asks. */
export const createSiteStage =
  (recognize: Recognizer): Stage =>
  (exchange) => {
    const { request, snapshot } = exchange
    const site = snapshot.siteByHost(request.host)
    if (site) noteSite(exchange, site)
    const refusal = request.isAskedOfProxy ? refuseAtProxy(exchange, recognize) : null
    if (refusal) noteCaller(exchange, recognize)
    return refusal
  }

/** As at CONNECT: who is nobody learns nothing of names there, and a researcher none but those of their organization. */
export function refuseAtProxy(exchange: Exchange, recognize: Recognizer): Refusal | null {
  const caller = recognize(exchange)
  const reason = triesCredential(exchange, GATED_SESSIONS) ? 'unknown_credential' : 'no_credential'
  if (!caller) return refuse(401, 'gate', reason)
  const { orgId } = caller.researcher
  return exchange.event.orgId === orgId ? null : refuse(403, 'gate', 'unknown_host', { close: true })
}
