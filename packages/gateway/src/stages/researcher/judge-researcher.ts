/**
 * The researcher stage: who is calling, and whether they may enter this site now. Closed by default: a request without
 * a valid key or session goes no further.
 */
import type { ResearcherConfig } from '@sallyport/contract'
import {
  noteResearcher,
  type Recognized,
  type Recognizer,
  triesCredential,
} from '../../credentials/recognize.ts'
import { GATED_SESSION } from '../../credentials/session.ts'
import { leadToSignIn } from '../../credentials/sign-in-path.ts'
import { type Exchange, type Refusal, refuse, type Stage } from '../../exchange/exchange.ts'
import type { CompiledSite } from '../../snapshot/snapshot.ts'

/** Makes the stage. `recognize` knows keys and sessions of gated hosts. */
export function createResearcherStage(recognize: Recognizer): Stage {
  return (exchange) => {
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
  const reason = whyNotAdmitted(researcher, site, event.time)
  return reason ? refuse(403, 'gate', reason) : null
}

/** Why a known researcher may not enter a site at an instant; null where they may. */
export function whyNotAdmitted(
  researcher: ResearcherConfig,
  site: CompiledSite,
  now: number,
): 'researcher_paused' | 'researcher_expired' | 'researcher_not_listed' | null {
  if (researcher.paused) return 'researcher_paused'
  if (researcher.expiresAt !== null && now >= researcher.expiresAt) return 'researcher_expired'
  if (site.config.access === 'listed' && !site.lists(researcher.id)) return 'researcher_not_listed'
  return null
}

/** Refuses; a person who opens a page is led to where they can sign in. */
function refuseStranger(exchange: Exchange): Refusal {
  const reason = triesCredential(exchange, GATED_SESSION) ? 'unknown_credential' : 'no_credential'
  const location = leadToSignIn(exchange)
  return location === '' ? refuse(401, 'gate', reason) : refuse(303, 'gate', reason, { location })
}
