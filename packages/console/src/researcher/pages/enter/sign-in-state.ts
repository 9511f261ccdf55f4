import type { GateSite, GateSites } from '@sallyport/contract'
import { callGate, readNonce } from '../../api/gate-api.ts'
import { siteAt } from '../../parts/site/wildcard.ts'

/** What the address that led here says. Anybody can have written it. */
export interface RequestedSignIn {
  readonly host: string
  readonly nonce: string
}

/**
 * - `no-site`: the host is no site of the researcher, or the address is not whole.
 * - `begun-here`: begun in this browser, so it may be finished.
 * - `begun-elsewhere`: this browser has another nonce at that site, or none.
 * - `signed-in-there`: the nonce differs, but this browser has the researcher's session at that site already.
 * - `other-session`: begun here, while another researcher has a session there in this browser.
 * - `unanswered`: the site did not say which nonce this browser has.
 * - `unseen`: the browser may hide its nonce at that site from us, so only the person knows.
 */
export type SignInState =
  | { readonly at: 'no-site' }
  | {
      readonly at:
        | 'begun-here'
        | 'begun-elsewhere'
        | 'signed-in-there'
        | 'other-session'
        | 'unanswered'
        | 'unseen'
      readonly site: GateSite
    }

const NONCE_FORM = /^[\w-]{43}$/
const LOOKS_MAX = 8
const LOOK_AGAIN_MS = 500

/** Finds the state of a sign-in of the researcher who is signed in here. Throws a `GateRefusal`. */
export async function findSignInState(
  { host, nonce }: RequestedSignIn,
  researcherId: string,
  signal: AbortSignal,
): Promise<SignInState> {
  const { items } = await callGate<GateSites>('sites', { signal })
  const site = siteAt(items, host)
  if (!site || !NONCE_FORM.test(nonce)) return { at: 'no-site' }
  for (let looked = 1; ; looked++) {
    const seen = await readNonce(site.url)
    // A missing answer must not lead to a question: a script of that host can bring it about, and then waits for a click.
    if (!seen) return { at: 'unanswered', site }
    if (seen.isThirdParty && seen.nonce === '') return { at: 'unseen', site }
    const isOther = seen.researcherId !== '' && seen.researcherId !== researcherId
    if (seen.nonce === nonce) return { at: isOther ? 'other-session' : 'begun-here', site }
    if (seen.researcherId === researcherId) return { at: 'signed-in-there', site }
    // Tabs that begin together, as when a browser is opened again, replace each other's nonce at the site. The last of them
    // gets in, and the others find its session when they look again.
    const mayFollow = seen.nonce !== '' && looked < LOOKS_MAX && !signal.aborted
    if (!mayFollow) return { at: 'begun-elsewhere', site }
    await new Promise((resolve) => setTimeout(resolve, LOOK_AGAIN_MS))
  }
}
