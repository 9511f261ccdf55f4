/**
 * Who is signed in. Tokens live in this tab's session storage; the refresh token renews them before they expire, so that
 * a console left open all day stays signed in. A new tab asks the issuer, which remembers its own sign-in, or redirects to it
 * where it cannot be asked. A tab whose tokens the issuer does not renew redirects, too; but where somebody has done something on its
 * page, the viewer signs in by another tab, which sends its tokens to this one.
 */

import type { ConsoleConfig } from './console-config.ts'
import { hasInteraction, watchInteraction } from './interaction.ts'
import { connectIssuer, type Issuer, newSignInRequest, type SignInRequest, type Tokens } from './issuer.ts'
import { forgetAllSecrets } from './kept-secrets.ts'

const CALLBACK_PATH = '/console/callback'
const START_PATH = '/console/'
/** Signs in for another tab, which listens on the channel that `for` names; with `again` whoever is asked who they are. */
const OTHER_TAB_PATH = '/console/sign-in'
const OTHER_TAB_CHANNEL = 'sallyport.sign-in.'
/** Renew when less than this is left. */
const RENEW_BEFORE_MS = 60_000
const TOKENS_KEY = 'sallyport.tokens'
const REQUEST_KEY = 'sallyport.sign-in'

export interface ConsoleSession {
  /**
   * The token to call the API with; renews it first where it is about to expire. Where the issuer refuses that, redirects
   * to sign in, or waits for another tab where somebody has done something on the page; throws where the issuer does not
   * answer.
   */
  token(): Promise<string>
  /** Drops the present token and gets another: the API has refused this one. */
  renew(): Promise<string>
  signOut(): Promise<void>
  /** What this tab waits for, while another one is to sign in for it; null otherwise. */
  awaited(): AwaitedSignIn | null
  /** Calls back when `awaited` changes; the function that it answers ends that. */
  onAwaited(changed: () => void): () => void
}

export interface AwaitedSignIn {
  /** The address by which another tab signs in for this one. */
  readonly url: string
  /** The other tab signed in somebody else than this page was opened by, as whom nothing on it is to be done. */
  readonly isSomebodyElse: boolean
}

/** A pending sign-in, with the address to return to. */
interface PendingSignIn extends SignInRequest {
  readonly returnTo: string
  /** The channel on which another tab waits for the tokens. */
  readonly channel?: string
}

/**
 * Completes a pending sign-in, or resumes the session, or asks the issuer who is signed in there; otherwise redirects to the issuer
 * (and then never resolves). Null where the sign-in was for another tab, which has its tokens now. `willOpen` is called as soon as it is
 * known that this page stays.
 */
export async function openSession(
  config: ConsoleConfig,
  willOpen: () => void,
): Promise<ConsoleSession | null> {
  const issuer = connectIssuer(config, location.origin + CALLBACK_PATH)
  if (location.pathname === OTHER_TAB_PATH) {
    const { searchParams } = new URL(location.href)
    const channel = OTHER_TAB_CHANNEL + searchParams.get('for')
    const prompt = searchParams.has('again') ? 'login' : undefined
    return redirectToIssuer(issuer, { returnTo: START_PATH, channel }, prompt)
  }
  if (location.pathname === CALLBACK_PATH) {
    willOpen()
    if ((await completeSignIn(issuer)) === 'other tab') return null
  } else if (storedTokens()) willOpen()
  if (!storedTokens()) {
    const tokens = await issuer.signedIn(willOpen)
    if (tokens) storeTokens(tokens)
  }
  const session = sessionOf(issuer)
  await session.token()
  watchInteraction()
  // The back button may bring the page back as it stood, with all that it showed to who has signed out since.
  addEventListener('pageshow', ({ persisted }) => {
    if (persisted && storedTokens() === null) location.reload()
  })
  return session
}

function sessionOf(issuer: Issuer): ConsoleSession {
  // One renewal at a time: refresh tokens rotate, and a second use of one ends the session.
  let renewal: Promise<Tokens> | null = null
  let awaited: AwaitedSignIn | null = null
  // Whose page this is, whatever becomes of the tokens.
  let subject = storedTokens()?.subject
  const listeners = new Set<() => void>()
  const announce = (next: AwaitedSignIn | null) => {
    awaited = next
    for (const changed of listeners) changed()
  }
  const renewed = async (): Promise<string> => {
    renewal ??= renewOrSignIn(issuer, subject, announce).finally(() => {
      renewal = null
    })
    const tokens = await renewal
    subject ??= tokens.subject
    return tokens.accessToken
  }
  return {
    async token() {
      const tokens = storedTokens()
      return tokens && tokens.expiresAt - Date.now() > RENEW_BEFORE_MS ? tokens.accessToken : renewed()
    },
    renew: renewed,
    async signOut() {
      const tokens = storedTokens()
      sessionStorage.removeItem(TOKENS_KEY)
      forgetAllSecrets()
      const url = await issuer.signOutUrl(tokens, location.origin + START_PATH)
      location.assign(url ?? START_PATH)
    },
    awaited: () => awaited,
    onAwaited(changed) {
      listeners.add(changed)
      return () => listeners.delete(changed)
    },
  }
}

async function completeSignIn(issuer: Issuer): Promise<'this tab' | 'other tab'> {
  const callback = new URL(location.href)
  const pending = removePendingSignIn()
  // A callback that was bookmarked or reloaded has no pending sign-in, and starts over.
  const tokens = pending && (await issuer.exchange(callback, pending))
  history.replaceState(null, '', pending?.returnTo ?? START_PATH)
  if (!pending?.channel) {
    if (tokens) storeTokens(tokens)
    return 'this tab'
  }
  // Not stored here, too: a refresh token is used by one tab alone.
  const channel = new BroadcastChannel(pending.channel)
  channel.postMessage(tokens)
  channel.close()
  return 'other tab'
}

async function renewOrSignIn(
  issuer: Issuer,
  subject: string | undefined,
  announce: (awaited: AwaitedSignIn | null) => void,
): Promise<Tokens> {
  const stored = storedTokens()
  const renewed = stored?.refreshToken ? await issuer.refresh(stored) : null
  if (renewed) {
    storeTokens(renewed)
    return renewed
  }
  sessionStorage.removeItem(TOKENS_KEY)
  forgetAllSecrets()
  if (!hasInteraction()) return redirectToIssuer(issuer, { returnTo: location.pathname + location.search })
  const tokens = await signedInByOtherTab(subject, announce)
  storeTokens(tokens)
  announce(null)
  return tokens
}

/**
 * The tokens that another tab got for this one. What is typed here, and the calls that wait, are of who opened the page: as somebody else,
 * perhaps of another organization, nothing of it goes on.
 */
async function signedInByOtherTab(
  subject: string | undefined,
  announce: (awaited: AwaitedSignIn) => void,
): Promise<Tokens> {
  const name = crypto.randomUUID()
  const channel = new BroadcastChannel(OTHER_TAB_CHANNEL + name)
  const url = `${OTHER_TAB_PATH}?for=${name}`
  announce({ url, isSomebodyElse: false })
  const tokens = await new Promise<Tokens>((resolve) => {
    channel.onmessage = (message) => {
      // Only pages of this origin hear the channel, and only this one knew its name.
      const received = message.data as Tokens
      const isSomebodyElse = subject !== undefined && received.subject !== subject
      if (isSomebodyElse) announce({ url: `${url}&again`, isSomebodyElse })
      else resolve(received)
    }
  })
  channel.close()
  return tokens
}

async function redirectToIssuer(
  issuer: Issuer,
  back: Omit<PendingSignIn, keyof SignInRequest>,
  prompt?: 'login',
): Promise<never> {
  const request = newSignInRequest()
  const pending: PendingSignIn = { ...request, ...back }
  sessionStorage.setItem(REQUEST_KEY, JSON.stringify(pending))
  location.assign(await issuer.authorizationUrl(request, prompt))
  return new Promise(() => {})
}

// Both are written by this page alone, into storage of its own origin and tab.
function storedTokens(): Tokens | null {
  const text = sessionStorage.getItem(TOKENS_KEY)
  return text ? (JSON.parse(text) as Tokens) : null
}

function removePendingSignIn(): PendingSignIn | null {
  const text = sessionStorage.getItem(REQUEST_KEY)
  sessionStorage.removeItem(REQUEST_KEY)
  return text ? (JSON.parse(text) as PendingSignIn) : null
}

const storeTokens = (tokens: Tokens): void => sessionStorage.setItem(TOKENS_KEY, JSON.stringify(tokens))
