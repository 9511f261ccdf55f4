import { API_KEY_PREFIX, type Role } from '@sallyport/contract'
import type { ApiKeyVerifier } from './api-keys/api-key-verifier.ts'
import type { JwtVerifier, VerifiedToken } from './issuer/jwt.ts'
import { AuthenticationError, type Principal } from './principal.ts'

/** Longer tokens are not even looked at. */
const TOKEN_CHARS_MAX = 16_384

/** A user of an organization, as the control plane knows them. */
export interface ResolvedUser {
  readonly orgId: string
  readonly email: string
  readonly role: Role
}

export interface AuthenticatorOptions {
  readonly verifyJwt: JwtVerifier
  readonly apiKeys: Pick<ApiKeyVerifier, 'verify'>
  /** Finds the organization and role of a verified token's bearer; null for one that has no place here (any more). */
  readonly resolveUser: (token: VerifiedToken, requestId: string) => Promise<ResolvedUser | null>
}

/** Turns the bearer token of a request into who is calling. Throws AuthenticationError. */
export type Authenticate = (bearer: string, requestId: string) => Promise<Principal>

/** Tells the two kinds of token apart by how they begin, as the specification says, and verifies either. */
export function createAuthenticator(options: AuthenticatorOptions): Authenticate {
  return async (bearer, requestId) => {
    if (bearer.length > TOKEN_CHARS_MAX)
      throw new AuthenticationError('unauthorized', 'the token is too long')
    if (bearer.startsWith(API_KEY_PREFIX)) {
      const key = await options.apiKeys.verify(bearer)
      return {
        kind: 'api-key',
        orgId: key.orgId,
        userId: key.id,
        email: key.createdByEmail,
        role: key.role,
        token: bearer,
      }
    }
    if (!bearer.startsWith('eyJ'))
      throw new AuthenticationError('unauthorized', 'neither a JWT nor an API key')
    const verified = await options.verifyJwt(bearer)
    const user = await options.resolveUser(verified, requestId)
    if (!user) throw new AuthenticationError('unauthorized', `no user here for subject ${verified.subject}`)
    return { kind: 'user', userId: verified.subject, ...user, token: bearer }
  }
}
