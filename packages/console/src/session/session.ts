/**
 * Who is signed in. Tokens live in this tab's session storage; the refresh token renews them before they expire, so that
 * a console left open all day stays signed in. A new tab goes through the issuer, which remembers its own sign-in and
 * answers at once. So does a tab whose tokens the issuer does not renew; but where somebody has done something on its
 * page, another tab is opened for that, which hands its tokens over.
 */
import { hasActed, watchActs } from './acted.ts'
import type { ConsoleConfig } from './console-config.ts'
import { connectIssuer, type Issuer, newSignInRequest, type SignInRequest, type Tokens } from './issuer.ts'

const CALLBACK_PATH = '/console/callback'
const START_PATH = '/console/'
/** Signs in for another tab, which listens on the channel that `for` names. */
const HAND_OVER_PATH = '/console/sign-in'
const HAND_OVER_CHANNEL = 'sallyport.sign-in.'
/** Renew when less than this is left. */
const RENEW_BEFORE_MS = 60_000
const TOKENS_KEY = 'sallyport.tokens'
const REQUEST_KEY = 'sallyport.sign-in'

export interface ConsoleSession {
  /**
   * The token to call the API with; renews it first where it is about to expire. Where the issuer refuses that, leaves
   * for sign-in, or waits for it where somebody has done something on the page; throws where the issuer does not answer.
   */
  token(): Promise<string>
  /** Drops the present token and gets another: the API has refused this one. */
  renew(): Promise<string>
  signOut(): Promise<void>
  /** Where another tab signs in for this one, while that is waited for; null otherwise. */
  signInUrl(): string | null
  /** Calls back when `signInUrl` changes, until the answer is called. */
  onSignInUrl(changed: () => void): () => void
}

/** A sign-in under way, with the address to return to. */
interface PendingSignIn extends SignInRequest {
  readonly returnTo: string
  /** The channel on which another tab waits for the tokens. */
  readonly channel?: string
}

/** Whether this page is to be shown now: there is a session, or the issuer's answer. Otherwise it is left at once. */
export const staysHere = (): boolean =>
  location.pathname === CALLBACK_PATH || sessionStorage.getItem(TOKENS_KEY) !== null

/**
 * Completes a sign-in under way, or resumes the session, or leaves the page to sign in (and then never resolves). Null
 * where another tab has been signed in.
 */
export async function openSession(config: ConsoleConfig): Promise<ConsoleSession | null> {
  const issuer = connectIssuer(config, location.origin + CALLBACK_PATH)
  if (location.pathname === HAND_OVER_PATH) {
    const channel = HAND_OVER_CHANNEL + new URL(location.href).searchParams.get('for')
    return leave(issuer, { returnTo: START_PATH, channel })
  }
  if (location.pathname === CALLBACK_PATH && (await completeSignIn(issuer)) === 'handed over') return null
  const session = sessionOf(issuer)
  await session.token()
  watchActs()
  return session
}

function sessionOf(issuer: Issuer): ConsoleSession {
  // One renewal at a time: refresh tokens rotate, and a second use of one ends the session.
  let renewal: Promise<Tokens> | null = null
  let signInUrl: string | null = null
  const listeners = new Set<() => void>()
  const say = (url: string | null) => {
    signInUrl = url
    for (const changed of listeners) changed()
  }
  const renewed = async (): Promise<string> => {
    renewal ??= renewOrSignIn(issuer, say).finally(() => {
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
    signInUrl: () => signInUrl,
    onSignInUrl(changed) {
      listeners.add(changed)
      return () => listeners.delete(changed)
    },
  }
}

async function completeSignIn(issuer: Issuer): Promise<'here' | 'handed over'> {
  const callback = new URL(location.href)
  const pending = takePending()
  // A callback that was bookmarked or reloaded has nothing under way, and starts over.
  const tokens = pending && (await issuer.exchange(callback, pending))
  history.replaceState(null, '', pending?.returnTo ?? START_PATH)
  if (!pending?.channel) {
    if (tokens) keepTokens(tokens)
    return 'here'
  }
  // Not kept here, too: a refresh token is used by one tab alone.
  const channel = new BroadcastChannel(pending.channel)
  channel.postMessage(tokens)
  channel.close()
  return 'handed over'
}

async function renewOrSignIn(issuer: Issuer, say: (signInUrl: string | null) => void): Promise<Tokens> {
  const held = heldTokens()
  const renewed = held?.refreshToken ? await issuer.refresh(held) : null
  if (renewed) {
    keepTokens(renewed)
    return renewed
  }
  sessionStorage.removeItem(TOKENS_KEY)
  if (!hasActed()) return leave(issuer, { returnTo: location.pathname + location.search })
  const name = crypto.randomUUID()
  const channel = new BroadcastChannel(HAND_OVER_CHANNEL + name)
  say(`${HAND_OVER_PATH}?for=${name}`)
  const tokens = await new Promise<Tokens>((resolve) => {
    // Only pages of this origin hear the channel, and only this one knew its name.
    channel.onmessage = (message) => resolve(message.data as Tokens)
  })
  channel.close()
  keepTokens(tokens)
  say(null)
  return tokens
}

async function leave(issuer: Issuer, back: Omit<PendingSignIn, keyof SignInRequest>): Promise<never> {
  const request = newSignInRequest()
  const pending: PendingSignIn = { ...request, ...back }
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
