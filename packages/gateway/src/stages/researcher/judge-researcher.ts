/**
 * The researcher stage: who is calling, and whether they may enter this site now. Closed by default: a request without
 * a valid key or session goes no further.
 */
import { whyResearcherRefused } from '@sallyport/policy'
import { isForeignPassword } from '../../credentials/password-key.ts'
import { noteResearcher, type Recognized, type Recognizer } from '../../credentials/recognize.ts'
import { refuseStranger } from '../../credentials/refuse-stranger.ts'
import { type Exchange, type Refusal, refuse, type Stage } from '../../exchange/exchange.ts'

/** Makes the stage. `recognize` knows keys and sessions of gated hosts. */
export function createResearcherStage(recognize: Recognizer): Stage {
  return (exchange) => {
    // It is nobody's.
    if (exchange.isForwardedPreflight) return null
    // Whoever's key it is: a page of another origin has it sent.
    if (isForeignPassword(exchange)) return refuseStranger(exchange)
    const found = recognize(exchange)
    return found ? admit(exchange, found) : refuseStranger(exchange)
  }
}

function admit(exchange: Exchange, found: Recognized): Refusal | null {
  const { site, event } = exchange
  const { researcher } = found
  if (!site || researcher.orgId !== site.config.orgId) return refuseStranger(exchange)
  exchange.credentialExpiresAt = found.expiresAt
  noteResearcher(exchange, found)
  const reason = whyResearcherRefused(researcher, site, event.time)
  return reason ? refuse(403, 'gate', reason) : null
}
