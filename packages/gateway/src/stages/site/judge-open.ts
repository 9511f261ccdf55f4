/** The stage of what is open: whether a site has the name, and is open now. */

import { noteCaller } from '../../credentials/callers.ts'
import type { Recognizer } from '../../credentials/recognize.ts'
import { refuseStranger } from '../../credentials/refuse-stranger.ts'
import { type Exchange, refuse, type Stage } from '../../exchange/exchange.ts'
import { isOpen } from '../../snapshot/access.ts'

/**
 * Makes the stage. Who asks is asked first: a researcher of the organization is told that its site is closed, and everybody else what
 * they are told at one that is open. What is recorded is why in either case. The work is the same, too, or the time that an answer
 * takes would say which names are published.
 */
export const createOpenStage =
  (recognize: Recognizer): Stage =>
  (exchange) => {
    const reason = whyNotOpen(exchange)
    if (!reason) return null
    noteCaller(exchange, recognize)
    if (exchange.site && exchange.researcher) return refuse(503, 'gate', 'site_closed', { close: true })
    // Theirs in the record alone: a connection of a researcher would be kept longer.
    exchange.researcher = null
    exchange.keyId = ''
    return { ...refuseStranger(exchange), recordedAs: reason }
  }

function whyNotOpen({ site, snapshot, event }: Exchange): 'unknown_host' | 'site_closed' | null {
  if (!site) return 'unknown_host'
  return isOpen(site, snapshot, event.time) ? null : 'site_closed'
}
