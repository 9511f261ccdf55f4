/**
 * Who is signed in. Tokens live in this tab's session storage; the refresh token renews them before they expire, so that
 * a console left open all day stays signed in. A new tab goes through the issuer, which remembers its own sign-in and
 * answers at once.
 */
import type { ConsoleConfig } from './console-config.ts'
import { connectIssuer, type Issuer, newSignInRequest, type SignInRequest, type Tokens } from './issuer.ts'

const CALLBACK_PATH = '/console/callback'
const START_PATH = '/console/'
/** Renew when less than this is left. */
const RENEW_BEFORE_MS = 60_000
const TOKENS_KEY = 'sallyport.tokens'
const REQUEST_KEY = 'sallyport.sign-in'

export interface Session {
  /**
   * The token to call the API with; renews it first where it is about to expire. Leaves for sign-in where the issuer
   * refuses that, and throws where the issuer does not answer: what is on the page stays.
   */
  token(): Promise<string>
  /** Drops the present token and gets another: the API has refused this one. */
  renew(): Promise<string>
  signOut(): Promise<void>
}

/** A sign-in under way, with the address to return to. */
interface PendingSignIn extends SignInRequest {
  readonly returnTo: string
}

/** Whether this page is to be shown now: there is a session, or the issuer's answer. Otherwise it is left at once. */
export const staysHere = (): boolean =>
  location.pathname === CALLBACK_PATH || sessionStorage.getItem(TOKENS_KEY) !== null

/** Completes a sign-in under way, or resumes the session, or leaves the page to sign in (and then never resolves). */
export async function openSession(config: ConsoleConfig): Promise<Session> {
  const issuer = connectIssuer(config, location.origin + CALLBACK_PATH)
  const session = sessionOf(issuer)
  if (location.pathname === CALLBACK_PATH) await completeSignIn(issuer)
  await session.token()
  return session
}

function sessionOf(issuer: Issuer): Session {
  // One renewal at a time: refresh tokens rotate, and a second use of one ends the session.
  let renewal: Promise<Tokens> | null = null
  const renewed = async (): Promise<string> => {
    renewal ??= renewOrLeave(issuer).finally(() => {
      renewal = null
    })
    return (await renewal).accessToken
  }
  return {
    async token() {
      const tokens = heldTokens()
      return tokens && tokens.expiresAt - Date.now() > RENEW_BEFORE_MS ? tokens.accessToken : renewed()
    },
    renew: renewed,
    async signOut() {
      const tokens = heldTokens()
      sessionStorage.removeItem(TOKENS_KEY)
      const url = await issuer.signOutUrl(tokens, location.origin + START_PATH)
      location.assign(url ?? START_PATH)
    },
  }
}

async function completeSignIn(issuer: Issuer): Promise<void> {
  const callback = new URL(location.href)
  const pending = takePending()
  // A callback that was bookmarked or reloaded has nothing under way, and starts over.
  if (pending) keepTokens(await issuer.exchange(callback, pending))
  history.replaceState(null, '', pending?.returnTo ?? START_PATH)
}

async function renewOrLeave(issuer: Issuer): Promise<Tokens> {
  const held = heldTokens()
  const renewed = held?.refreshToken ? await issuer.refresh(held) : null
  if (renewed) {
    keepTokens(renewed)
    return renewed
  }
  sessionStorage.removeItem(TOKENS_KEY)
  const request = newSignInRequest()
  const pending: PendingSignIn = { ...request, returnTo: location.pathname + location.search }
  sessionStorage.setItem(REQUEST_KEY, JSON.stringify(pending))
  location.assign(await issuer.authorizationUrl(request))
  return new Promise(() => {})
}

// Both are written by this page alone, into storage of its own origin and tab.
function heldTokens(): Tokens | null {
  const kept = sessionStorage.getItem(TOKENS_KEY)
  return kept ? (JSON.parse(kept) as Tokens) : null
}

function takePending(): PendingSignIn | null {
  const kept = sessionStorage.getItem(REQUEST_KEY)
  sessionStorage.removeItem(REQUEST_KEY)
  return kept ? (JSON.parse(kept) as PendingSignIn) : null
}

const keepTokens = (tokens: Tokens): void => sessionStorage.setItem(TOKENS_KEY, JSON.stringify(tokens))
