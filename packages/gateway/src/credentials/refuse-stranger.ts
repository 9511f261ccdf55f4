/**
 * What strangers are answered: the same under every name, whether a site has it, and whether that is open. A name that is not
 * published would otherwise be told from one that is by anybody who asks for a few.
 */
import { type Exchange, type Refusal, refuse } from '../exchange/exchange.ts'
import { isWithoutCredentials } from '../exchange/request-headers.ts'
import { isForeignPassword } from './password-key.ts'
import { triesCredential } from './recognize.ts'
import { GATED_SESSIONS } from './session.ts'
import { leadToSignIn } from './sign-in-path.ts'

/** Refuses whoever is not recognized; a person who opens a page is led to where they can sign in. */
export function refuseStranger(exchange: Exchange): Refusal {
  if (isForeignPassword(exchange)) return refuse(403, 'gate', 'foreign_page', { detail: FOREIGN_PASSWORD })
  const reason = triesCredential(exchange, GATED_SESSIONS) ? 'unknown_credential' : 'no_credential'
  const location = leadToSignIn(exchange)
  if (location !== '') return refuse(303, 'gate', reason, { location })
  const { request, snapshot } = exchange
  return snapshot.gate && reason === 'no_credential' && isWithoutCredentials(request)
    ? refuse(401, 'gate', reason, { detail: `${SENT_WITHOUT_COOKIES} ${snapshot.gate.origin}/` })
    : refuse(401, 'gate', reason)
}

/** What a page of another origin has a browser send. */
const FOREIGN_PASSWORD = 'A key as a password counts only where no page of another origin has it sent.'

/** Before the address of the page that has it. */
const SENT_WITHOUT_COOKIES =
  'Your browser sent this without cookies. If you are signed in, let your browser go through a proxy that adds your key; how, says the page of this site, “In a browser”, at'
