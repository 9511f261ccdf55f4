/** How `oidc-provider` is set up: one public client, the console; Authorization Code with PKCE; nothing else. */
import type * as library from 'oidc-provider'
import type { Account, AdapterFactory, Configuration, JWK, KoaContextWithOIDC } from 'oidc-provider'
import { isOlder } from '../users.ts'
import { COOKIE_NAMES } from './host-cookies.ts'
import { Html, pageHeaders, renderPage } from './page.ts'
import { messagePage, signedOutPage, signOutPage } from './pages.ts'

/** Where everything of the identity provider lives, below the public URL of the control plane. */
export const IDENTITY_PATH = '/identity'
export const SIGN_IN_PATH = `${IDENTITY_PATH}/sign-in`
export const CONSOLE_CLIENT_ID = 'sallyport-console'
export const CONSOLE_SCOPE = 'openid email profile'
export const TOKEN_ALGORITHM = 'ES256' as const

/** Short, because a JWT cannot be called back: the console renews it without the user noticing. */
const ACCESS_TOKEN_SECONDS = 5 * 60
/** A working day; then the password is asked for again. */
const SESSION_SECONDS = 12 * 60 * 60
const CODE_SECONDS = 60
const INTERACTION_SECONDS = 30 * 60

/** What tokens say of a member. */
export interface MemberClaims {
  readonly memberId: string
  readonly orgId: string
  readonly email: string
  readonly name: string
  readonly role: string
  /** ISO 8601; who has signed in before must do it again. Null for no such instant. */
  readonly tokensValidFrom: string | null
}

/** What is used of the library, which is loaded when somebody signs in (`embedded-provider.ts`). */
type Library = Pick<typeof library, 'errors' | 'interactionPolicy'>

export interface ProviderOptions {
  readonly publicUrl: string
  readonly adapter: AdapterFactory
  readonly cookieKeys: readonly string[]
  /** Private keys, the one to sign with first. */
  readonly signingKeys: readonly JWK[]
  /** The member, if active now. */
  readonly findMember: (memberId: string) => Promise<MemberClaims | undefined>
}

export const issuerOf = (publicUrl: string): string => publicUrl + IDENTITY_PATH
/** The audience of access tokens: the admin API. */
export const audienceOf = (publicUrl: string): string => `${publicUrl}/api`
export const consoleUrlOf = (publicUrl: string): string => `${publicUrl}/console/`

/** Origins under which browsers open the console. A loopback address has several names, and people type any. */
export function consoleOrigins(publicUrl: string): string[] {
  const url = new URL(publicUrl)
  const loopback = ['localhost', '127.0.0.1']
  if (!loopback.includes(url.hostname)) return [url.origin]
  const port = url.port === '' ? '' : `:${url.port}`
  return [url.origin, ...loopback.map((host) => `${url.protocol}//${host}${port}`)].filter(
    (origin, index, all) => all.indexOf(origin) === index,
  )
}

export function providerConfiguration(
  { errors, interactionPolicy }: Library,
  options: ProviderOptions,
): Configuration {
  const { publicUrl, findMember } = options
  const origins = consoleOrigins(publicUrl)
  return {
    adapter: options.adapter,
    clients: [consoleClient(origins)],
    jwks: { keys: [...options.signingKeys] },
    cookies: {
      keys: [...options.cookieKeys],
      long: { path: IDENTITY_PATH, httpOnly: true, sameSite: 'lax', signed: true },
      short: { httpOnly: true, sameSite: 'lax', signed: true },
      names: COOKIE_NAMES,
    },
    responseTypes: ['code'],
    scopes: ['openid', 'email', 'profile'],
    claims: { openid: ['sub', 'org_id'], email: ['email'], profile: ['name', 'role'] },
    // The console reads who is signed in from the id token; there is no userinfo endpoint.
    conformIdTokenClaims: false,
    pkce: { required: () => true },
    rotateRefreshToken: true,
    issueRefreshToken: async (_ctx, client) => client.grantTypeAllowed('refresh_token'),
    enabledJWA: { idTokenSigningAlgValues: [TOKEN_ALGORITHM] },
    ttl: {
      AccessToken: ACCESS_TOKEN_SECONDS,
      AuthorizationCode: CODE_SECONDS,
      IdToken: ACCESS_TOKEN_SECONDS,
      Interaction: INTERACTION_SECONDS,
      Grant: SESSION_SECONDS,
      RefreshToken: SESSION_SECONDS,
      // From the sign-in on, however often the session is used.
      Session: (_ctx, session) => secondsLeft(session.loginTs ?? nowSeconds()),
    },
    features: features(publicUrl, errors),
    interactions: {
      url: (_ctx, interaction) => `${SIGN_IN_PATH}/${interaction.uid}`,
      policy: signInPolicy(interactionPolicy, findMember),
    },
    clientBasedCORS: (_ctx, origin) => origins.includes(origin),
    findAccount: accountFinder(findMember),
    extraTokenClaims: async (_ctx, token) => {
      const member = 'accountId' in token ? await findMember(token.accountId) : undefined
      if (!member) throw new errors.InvalidGrant('the account is not active')
      return { org_id: member.orgId, email: member.email, role: member.role }
    },
    loadExistingGrant: (ctx) => consoleGrant(ctx, audienceOf(publicUrl)),
    renderError: errorPage(publicUrl),
  }
}

const consoleClient = (origins: readonly string[]) => ({
  client_id: CONSOLE_CLIENT_ID,
  client_name: 'Sallyport console',
  redirect_uris: origins.map((origin) => `${origin}/console/callback`),
  post_logout_redirect_uris: origins.map((origin) => `${origin}/console/`),
  response_types: ['code' as const],
  grant_types: ['authorization_code', 'refresh_token'],
  token_endpoint_auth_method: 'none' as const,
  id_token_signed_response_alg: TOKEN_ALGORITHM,
})

const features = (publicUrl: string, errors: Library['errors']): NonNullable<Configuration['features']> => ({
  devInteractions: { enabled: false },
  userinfo: { enabled: false },
  revocation: { enabled: true },
  resourceIndicators: {
    enabled: true,
    defaultResource: () => audienceOf(publicUrl),
    useGrantedResource: () => true,
    getResourceServerInfo: (_ctx, resource) => {
      if (resource !== audienceOf(publicUrl)) throw new errors.InvalidTarget()
      return {
        scope: '',
        audience: resource,
        accessTokenTTL: ACCESS_TOKEN_SECONDS,
        accessTokenFormat: 'jwt',
        jwt: { sign: { alg: TOKEN_ALGORITHM } },
      }
    },
  },
  rpInitiatedLogout: {
    enabled: true,
    logoutSource: async (ctx, form) => {
      ctx.set(pageHeaders(consoleOrigins(publicUrl)))
      ctx.body = renderPage(signOutPage({ form: new Html(form) }))
    },
    postLogoutSuccessSource: async (ctx) => {
      ctx.set(pageHeaders())
      ctx.body = renderPage(signedOutPage({ consoleUrl: consoleUrlOf(publicUrl) }))
    },
  },
})

const nowSeconds = (): number => Math.floor(Date.now() / 1000)
const secondsLeft = (signedInAt: number): number => Math.max(1, signedInAt + SESSION_SECONDS - nowSeconds())

/** Whether the account has been given another password since somebody signed in to it. `signedInAt` in seconds. */
const isSignInOver = ({ tokensValidFrom }: MemberClaims, signedInAt: number | undefined): boolean =>
  tokensValidFrom !== null && isOlder(signedInAt ?? null, tokensValidFrom)

/**
 * A new password removes the sessions that there are. A sign-in or a request under way writes its own afterwards, so each
 * session is also asked when it was signed in to.
 */
function signInPolicy(
  interactionPolicy: Library['interactionPolicy'],
  findMember: ProviderOptions['findMember'],
): library.interactionPolicy.DefaultPolicy {
  const policy = interactionPolicy.base()
  const isOver = async (ctx: KoaContextWithOIDC): Promise<boolean> => {
    const { session } = ctx.oidc
    if (!session?.accountId) return false
    const member = await findMember(session.accountId)
    return !member || isSignInOver(member, session.loginTs)
  }
  policy
    .get('login')
    ?.checks.add(new interactionPolicy.Check('sign_in_over', 'The account has changed since', isOver))
  return policy
}

const accountFinder =
  (findMember: ProviderOptions['findMember']): NonNullable<Configuration['findAccount']> =>
  async (_ctx, memberId, source) => {
    const member = await findMember(memberId)
    if (!member) return undefined
    // Codes and refresh tokens know when their session was signed in to; without either, the policy has looked.
    const isOver = source !== undefined && 'authTime' in source && isSignInOver(member, source.authTime)
    return isOver ? undefined : accountOf(member)
  }

const errorPage =
  (publicUrl: string): NonNullable<Configuration['renderError']> =>
  async (ctx, out) => {
    ctx.set(pageHeaders())
    const sentence =
      out.error === 'server_error'
        ? 'Something went wrong on our side.'
        : 'This sign-in has ended or is not valid.'
    ctx.body = renderPage(
      messagePage({ title: 'That did not work', sentence, consoleUrl: consoleUrlOf(publicUrl) }),
    )
  }

const accountOf = (member: MemberClaims): Account => ({
  accountId: member.memberId,
  claims: () => ({
    sub: member.memberId,
    org_id: member.orgId,
    email: member.email,
    name: member.name,
    role: member.role,
  }),
})

/** The console is ours, so it is granted what it asks for without a page that asks the user for consent. */
const consoleGrant: (
  ctx: Parameters<NonNullable<Configuration['loadExistingGrant']>>[0],
  audience: string,
) => ReturnType<NonNullable<Configuration['loadExistingGrant']>> = async ({ oidc }, audience) => {
  const { client, session, provider } = oidc
  if (!client || !session?.accountId) return undefined
  const known = session.grantIdFor(client.clientId)
  const found = known === undefined ? undefined : await provider.Grant.find(known)
  if (found) return found
  const grant = new provider.Grant({ clientId: client.clientId, accountId: session.accountId })
  grant.addOIDCScope(CONSOLE_SCOPE)
  grant.addResourceScope(audience, '')
  await grant.save()
  return grant
}
