/**
 * The researcher stage: who is calling, and whether they may enter this site now. Closed by default: a request without
 * a valid key or session goes no further.
 */
import { whyResearcherRefused } from '@sallyport/policy'
import { isForeignPassword } from '../../credentials/password-key.ts'
import {
  noteResearcher,
  type Recognized,
  type Recognizer,
  triesCredential,
} from '../../credentials/recognize.ts'
import { GATED_SESSIONS } from '../../credentials/session.ts'
import { leadToSignIn } from '../../credentials/sign-in-path.ts'
import { type Exchange, type Refusal, refuse, type Stage } from '../../exchange/exchange.ts'
import { isWithoutCredentials } from '../../exchange/request-headers.ts'

/** Makes the stage. `recognize` knows keys and sessions of gated hosts. */
export function createResearcherStage(recognize: Recognizer): Stage {
  return (exchange) => {
    // It is nobody's.
    if (exchange.isForwardedPreflight) return null
    if (isForeignPassword(exchange)) return refuse(403, 'gate', 'foreign_page', { detail: FOREIGN_PASSWORD })
    const found = recognize(exchange)
    return found ? admit(exchange, found) : refuseStranger(exchange)
  }
}

/** What a page of another origin has a browser send. */
const FOREIGN_PASSWORD = 'A key as a password counts only where no page of another origin has it sent.'

function admit(exchange: Exchange, found: Recognized): Refusal | null {
  const { site, event } = exchange
  const { researcher } = found
  if (!site || researcher.orgId !== site.config.orgId) return refuseStranger(exchange)
  exchange.credentialExpiresAt = found.expiresAt
  noteResearcher(exchange, found)
  const reason = whyResearcherRefused(researcher, site, event.time)
  return reason ? refuse(403, 'gate', reason) : null
}

/** Refuses; a person who opens a page is led to where they can sign in. */
function refuseStranger(exchange: Exchange): Refusal {
  const reason = triesCredential(exchange, GATED_SESSIONS) ? 'unknown_credential' : 'no_credential'
  const location = leadToSignIn(exchange)
  if (location !== '') return refuse(303, 'gate', reason, { location })
  const { request, snapshot } = exchange
  return snapshot.gate && reason === 'no_credential' && isWithoutCredentials(request)
    ? refuse(401, 'gate', reason, { detail: `${SENT_WITHOUT_COOKIES} ${snapshot.gate.origin}/` })
    : refuse(401, 'gate', reason)
}

/** Before the address of the page that has it. */
const SENT_WITHOUT_COOKIES =
  'Your browser sent this without cookies. If you are signed in, let your browser go through a proxy that adds your key; how, says the page of this site, “In a browser”, at'
