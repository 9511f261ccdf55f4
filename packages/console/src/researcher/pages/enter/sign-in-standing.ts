import type { GateSite, GateSites } from '@sallyport/contract'
import { call, nonceAt } from '../../api/gate-api.ts'

/** What the address that led here says. Anybody can have written it. */
export interface AskedSignIn {
  readonly host: string
  readonly nonce: string
}

/**
 * How a sign-in stands. `begun-here`: in this browser, so it may be finished. `there`: it is not the one that was begun here,
 * and there is nothing to finish, because this browser has the researcher's session at that site. `other-session`: begun
 * here, where another researcher has one. `unseen`: browsers may keep the nonce of that site from us, so only the person knows.
 */
export type SignInStanding =
  | { readonly at: 'no-site' }
  | {
      readonly at: 'begun-here' | 'begun-elsewhere' | 'there' | 'other-session' | 'unanswered' | 'unseen'
      readonly site: GateSite
    }

const NONCE_FORM = /^[\w-]{43}$/
const LOOKS_MAX = 8
const LOOK_AGAIN_MS = 500

/** Finds out how a sign-in stands, of the researcher who is signed in here. Throws a `GateRefusal`. */
export async function standingOf(
  { host, nonce }: AskedSignIn,
  researcherId: string,
  signal: AbortSignal,
): Promise<SignInStanding> {
  const { items } = await call<GateSites>('sites', { signal })
  const site = items.find(({ url }) => new URL(url).host === host)
  if (!site || !NONCE_FORM.test(nonce)) return { at: 'no-site' }
  for (let looked = 1; ; looked++) {
    const seen = await nonceAt(site.url)
    // No answer is no reason to ask the person: a script of that host can bring it about, and then only waits for a click.
    if (!seen) return { at: 'unanswered', site }
    if (seen.isThirdParty && seen.nonce === '') return { at: 'unseen', site }
    const isOther = seen.researcherId !== '' && seen.researcherId !== researcherId
    if (seen.nonce === nonce) return { at: isOther ? 'other-session' : 'begun-here', site }
    if (seen.researcherId === researcherId) return { at: 'there', site }
    // Of tabs that begin together, as when a browser is opened again, each takes the place of the nonce of the one before. The
    // last one gets in for all.
    const mayFollow = seen.nonce !== '' && looked < LOOKS_MAX && !signal.aborted
    if (!mayFollow) return { at: 'begun-elsewhere', site }
    await new Promise((resolve) => setTimeout(resolve, LOOK_AGAIN_MS))
  }
}
