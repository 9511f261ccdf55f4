import type { Role } from '@sallyport/contract'

/** Who is calling: the outcome of a verified bearer token. `token` is secret; it is never logged or stored. */
export interface Principal {
  readonly kind: 'user' | 'api-key'
  readonly orgId: string
  /** The token's subject, or the id of the API key. */
  readonly userId: string
  /** The user's address, or that of the user who created the API key; empty where the issuer does not say it. */
  readonly email: string
  readonly role: Role
  /** The bearer token as presented. */
  readonly token: string
}

/** Codes of the error catalogue by which a token is turned away. */
export type AuthenticationErrorCode = 'unauthorized' | 'missing_organization' | 'unavailable'

/**
 * A token was not accepted. Callers learn only `code`, one and the same for every kind of bad token; `reason` says more
 * and is for the log alone. Neither ever contains the token.
 */
export class AuthenticationError extends Error {
  override readonly name = 'AuthenticationError'
  readonly code: AuthenticationErrorCode
  readonly reason: string

  constructor(code: AuthenticationErrorCode, reason: string, options?: ErrorOptions) {
    super(reason, options)
    this.code = code
    this.reason = reason
  }
}
