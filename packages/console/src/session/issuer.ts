/**
 * The issuer as an OAuth client sees it: Authorization Code with PKCE (RFC 7636), the issuer of the answer checked
 * (RFC 9207), rotating refresh tokens, RP-initiated logout. The protocol itself is `oauth4webapi`.
 */
import * as oauth from 'oauth4webapi'
import type { ConsoleConfig } from './console-config.ts'
import { texts } from './texts.ts'

export interface Tokens {
  readonly accessToken: string
  readonly refreshToken: string | undefined
  readonly idToken: string | undefined
  /** Whom the issuer signed in, by its name for them; undefined where it does not say. */
  readonly subject?: string | undefined
  /** When the access token ends, milliseconds since the epoch. */
  readonly expiresAt: number
}

/** What a request for a sign-in stores until its answer comes. */
export interface SignInRequest {
  readonly state: string
  readonly verifier: string
}

/** OpenID Connect Core 3.1.2.1: `none` asks nobody anything, `login` asks also who is signed in. */
type Prompt = 'none' | 'login'

export interface Issuer {
  /** The address at which the issuer signs somebody in; by `prompt` without asking them, or also where it remembers who was signed in. */
  authorizationUrl(request: SignInRequest, prompt?: Prompt): Promise<URL>
  /**
   * Tokens of who is signed in at the issuer, without leaving the page; null where nobody is, or where the issuer has another origin and
   * its answer could not be read. `answered` is called before the code is exchanged.
   */
  signedIn(answered: () => void): Promise<Tokens | null>
  /** Exchanges the code in the address that the issuer sent the browser back to. Throws where it sent an error. */
  exchange(callback: URL, request: SignInRequest): Promise<Tokens>
  /** Another access token; null where the issuer refuses the refresh token. Throws where it does not answer. */
  refresh(tokens: Tokens): Promise<Tokens | null>
  /** Where the session at the issuer is ended; null where it has no such place. */
  signOutUrl(tokens: Tokens | null, returnTo: string): Promise<URL | null>
}

const METADATA_KEY = 'sallyport.issuer'
/** How long an access token lasts whose answer does not say so. */
const LIFE_SECONDS_DEFAULT = 300
/**
 * How far the clock of this computer may be off. The ID token comes from the issuer itself and only says who signed in; what is strict
 * about time is the API, by a clock of its own.
 */
const CLOCK_TOLERANCE_SECONDS = 86_400

export function connectIssuer(config: ConsoleConfig, redirectUri: string): Issuer {
  const client: oauth.Client = {
    client_id: config.clientId,
    [oauth.clockTolerance]: CLOCK_TOLERANCE_SECONDS,
  }
  const issuer = new URL(config.issuer)
  const options = { [oauth.allowInsecureRequests]: issuer.protocol === 'http:' }
  const metadata = () => loadMetadata(issuer, options)
  const authorizationUrl: Issuer['authorizationUrl'] = async ({ state, verifier }, prompt) => {
    const url = new URL(required((await metadata()).authorization_endpoint))
    const challenge = await oauth.calculatePKCECodeChallenge(verifier)
    const parameters = {
      response_type: 'code',
      client_id: config.clientId,
      redirect_uri: redirectUri,
      scope: config.scope,
      state,
      code_challenge: challenge,
      code_challenge_method: 'S256',
      ...(prompt ? { prompt } : {}),
      // One name is the standard's (RFC 8707), the other Auth0's.
      ...(config.audience ? { resource: config.audience, audience: config.audience } : {}),
    }
    for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value)
    return url
  }
  const exchange: Issuer['exchange'] = async (callback, { state, verifier }) => {
    const server = await metadata()
    const answer = oauth.validateAuthResponse(server, client, callback, state)
    const response = await oauth.authorizationCodeGrantRequest(
      server,
      client,
      oauth.None(),
      answer,
      redirectUri,
      verifier,
      options,
    )
    return tokensOf(await oauth.processAuthorizationCodeResponse(server, client, response))
  }
  return {
    authorizationUrl,
    exchange,
    async signedIn(answered) {
      const request = newSignInRequest()
      const url = await authorizationUrl(request, 'none')
      if (url.origin !== location.origin) return null
      const callback = new URL((await fetch(url)).url)
      if (!callback.searchParams.has('code')) return null
      answered()
      return exchange(callback, request)
    },
    async refresh(tokens) {
      const server = await metadata()
      const response = await oauth.refreshTokenGrantRequest(
        server,
        client,
        oauth.None(),
        required(tokens.refreshToken),
        options,
      )
      return oauth.processRefreshTokenResponse(server, client, response).then(
        (answer) => tokensOf(answer, tokens),
        (error: unknown) => {
          if (isRefusal(error)) return null
          throw error
        },
      )
    },
    async signOutUrl(tokens, returnTo) {
      const { end_session_endpoint: endpoint } = await metadata()
      if (!endpoint) return null
      const url = new URL(endpoint)
      url.searchParams.set('client_id', config.clientId)
      url.searchParams.set('post_logout_redirect_uri', returnTo)
      if (tokens?.idToken) url.searchParams.set('id_token_hint', tokens.idToken)
      return url
    },
  }
}

export const newSignInRequest = (): SignInRequest => ({
  state: oauth.generateRandomState(),
  verifier: oauth.generateRandomCodeVerifier(),
})

/** The issuer's metadata, loaded once a tab. */
async function loadMetadata(issuer: URL, options: object): Promise<oauth.AuthorizationServer> {
  const stored = sessionStorage.getItem(METADATA_KEY)
  // Only this page writes it, below, into storage of its own origin.
  const known = stored ? (JSON.parse(stored) as oauth.AuthorizationServer) : null
  if (known && new URL(known.issuer).href === issuer.href) return known
  const loaded = await oauth.processDiscoveryResponse(issuer, await oauth.discoveryRequest(issuer, options))
  sessionStorage.setItem(METADATA_KEY, JSON.stringify(loaded))
  return loaded
}

/** An error that the issuer itself names (RFC 6749, section 5.2), as opposed to a fault on the way to it. */
const isRefusal = (error: unknown): boolean =>
  error instanceof oauth.ResponseBodyError || error instanceof oauth.WWWAuthenticateChallengeError

function tokensOf(answer: oauth.TokenEndpointResponse, before?: Tokens): Tokens {
  return {
    accessToken: answer.access_token,
    refreshToken: answer.refresh_token ?? before?.refreshToken,
    idToken: answer.id_token ?? before?.idToken,
    subject: oauth.getValidatedIdTokenClaims(answer)?.sub ?? before?.subject,
    expiresAt: Date.now() + (answer.expires_in ?? LIFE_SECONDS_DEFAULT) * 1_000,
  }
}

function required(value: string | undefined): string {
  if (value === undefined) throw new Error(texts.theIssuerDoes)
  return value
}
