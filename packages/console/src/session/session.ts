/**
 * Who is signed in: OpenID Connect, Authorization Code with PKCE. Tokens live in this tab's session storage; the
 * refresh token renews them before they expire, so that a console left open all day stays signed in. A new tab goes
 * through the issuer, which remembers its own sign-in and answers at once.
 */
import { type User, UserManager, WebStorageStateStore } from 'oidc-client-ts'
import type { ConsoleConfig } from './console-config.ts'

export const CALLBACK_PATH = '/console/callback'
/** Renew when less than this is left. */
const RENEW_BEFORE_SECONDS = 60

export interface Session {
  /** The token to call the API with; renews it first where it is about to expire. Leaves for sign-in where it cannot. */
  token(): Promise<string>
  /** Drops the present token and gets another: the API has refused this one. */
  renew(): Promise<string>
  signOut(): Promise<void>
}

/** Completes a sign-in under way, or resumes the session, or leaves the page to sign in (and then never resolves). */
export async function openSession(config: ConsoleConfig): Promise<Session> {
  const manager = createManager(config)
  if (location.pathname === CALLBACK_PATH) await completeSignIn(manager)
  let user = await manager.getUser()
  if (!user || user.expired) user = await renewed(manager)
  return sessionOf(manager)
}

function createManager(config: ConsoleConfig): UserManager {
  return new UserManager({
    authority: config.issuer,
    client_id: config.clientId,
    redirect_uri: location.origin + CALLBACK_PATH,
    post_logout_redirect_uri: `${location.origin}/console/`,
    scope: config.scope,
    ...(config.audience
      ? { resource: config.audience, extraQueryParams: { audience: config.audience } }
      : {}),
    accessTokenExpiringNotificationTimeInSeconds: RENEW_BEFORE_SECONDS,
    automaticSilentRenew: true,
    userStore: new WebStorageStateStore({ store: sessionStorage }),
    stateStore: new WebStorageStateStore({ store: sessionStorage }),
  })
}

async function completeSignIn(manager: UserManager): Promise<void> {
  const user = await manager.signinCallback().catch((error: unknown) => {
    // A callback that was bookmarked, reloaded or answered with an error: say so only when the issuer refused.
    if (new URLSearchParams(location.search).has('error')) throw error
  })
  const returnTo =
    typeof user?.state === 'string' && user.state.startsWith('/console') ? user.state : '/console/'
  history.replaceState(null, '', returnTo)
}

/** One renewal at a time: refresh tokens rotate, and a second use of one ends the session. */
let renewal: Promise<User> | null = null

function renewed(manager: UserManager): Promise<User> {
  renewal ??= renewOrLeave(manager).finally(() => {
    renewal = null
  })
  return renewal
}

async function renewOrLeave(manager: UserManager): Promise<User> {
  const held = await manager.getUser()
  if (held?.refresh_token) {
    const user = await manager.signinSilent().catch(() => null)
    if (user) return user
  }
  await manager.removeUser()
  await manager.signinRedirect({ state: location.pathname + location.search })
  return new Promise(() => {})
}

function sessionOf(manager: UserManager): Session {
  return {
    async token() {
      const user = await manager.getUser()
      if (user && !user.expired) return user.access_token
      return (await renewed(manager)).access_token
    },
    async renew() {
      return (await renewed(manager)).access_token
    },
    signOut: () => manager.signoutRedirect(),
  }
}
