import { EMAIL_CHARS_MAX, JWT_ALGORITHMS, ROLES, type Role } from '@sallyport/contract'
import { type JWTPayload, type JWTVerifyGetKey, jwtVerify } from 'jose'
import { AuthenticationError } from '../principal.ts'

const COMPACT_JWS = /^[\w-]+\.[\w-]+\.[\w-]+$/

/**
 * Which claims carry what. A name is looked up as it is (`https://example.com/org`), and then as a path
 * (`realm_access.roles`).
 */
export interface ClaimNames {
  readonly organization: string
  readonly email: string
  /** True, and nothing else, where the issuer has checked the address. Null where it checks every one and never says so. */
  readonly emailVerified: string | null
  readonly role: string
}

export interface JwtVerifierOptions {
  readonly issuer: string
  readonly audience: string
  /** A subset of `JWT_ALGORITHMS`. */
  readonly algorithms: readonly string[]
  readonly claims: ClaimNames
  readonly getKey: JWTVerifyGetKey
  /**
   * How far the issuer's clock may be ahead of ours: a token that it has just made may seem to begin later (`nbf`). None
   * unless given. What has expired by our clock has expired.
   */
  readonly clockAheadMaxSeconds?: number
  readonly now?: () => Date
}

/** What a verified token says of its bearer. */
export interface VerifiedToken {
  readonly subject: string
  readonly organization: string
  readonly email: string
  /** Whether the issuer says that the address is the subject's; false where it says nothing. */
  readonly isEmailVerified: boolean
  /** Seconds since the epoch; null where the issuer does not say. */
  readonly issuedAt: number | null
  /** The strongest of the roles that the token names; null if it names none that we know. */
  readonly role: Role | null
}

export type JwtVerifier = (token: string) => Promise<VerifiedToken>

/**
 * Makes the verifier of the tokens of one issuer (RFC 7519, RFC 8725).
 *
 * It throws AuthenticationError: `missing_organization` for a good token without the organization claim,
 * `unavailable` while the issuer's keys cannot be had, and `unauthorized` for everything else.
 * @throws RangeError at once if an algorithm is not one of `JWT_ALGORITHMS`.
 */
export function createJwtVerifier(options: JwtVerifierOptions): JwtVerifier {
  const refused = options.algorithms.filter((name) => !(JWT_ALGORITHMS as readonly string[]).includes(name))
  if (refused.length > 0 || options.algorithms.length === 0)
    throw new RangeError(`not an algorithm that tokens may be signed with: ${refused.join(', ')}`)
  const { now = () => new Date() } = options

  return async (token) => {
    // jose's decoder forgives padding and white space; one token should have one spelling.
    if (!COMPACT_JWS.test(token)) throw new AuthenticationError('unauthorized', 'not a signed JWT')
    const currentDate = now()
    const payload = await jwtVerify(token, options.getKey, {
      issuer: options.issuer,
      audience: options.audience,
      algorithms: [...options.algorithms],
      clockTolerance: options.clockAheadMaxSeconds ?? 0,
      requiredClaims: ['exp', 'sub'],
      currentDate,
    }).then((result) => result.payload, refuse)
    // The library's tolerance is one for both ends; it has seen that `exp` is a number.
    if ((payload.exp ?? 0) <= Math.floor(currentDate.getTime() / 1000))
      throw new AuthenticationError('unauthorized', 'the token has expired')
    return readClaims(payload, options.claims)
  }
}

/** jose's messages name claims and algorithms, never values of the token. */
function refuse(error: unknown): never {
  if (error instanceof AuthenticationError) throw error
  throw new AuthenticationError('unauthorized', error instanceof Error ? error.message : 'not verified', {
    cause: error,
  })
}

function readClaims(payload: JWTPayload, names: ClaimNames): VerifiedToken {
  const organization = claim(payload, names.organization)
  const email = claim(payload, names.email)
  if (typeof payload.sub !== 'string' || payload.sub === '' || payload.sub.length > SUBJECT_CHARS_MAX)
    throw new AuthenticationError('unauthorized', 'the subject of the token is not usable')
  if (typeof organization !== 'string' || organization === '')
    throw new AuthenticationError('missing_organization', `the token has no claim ${names.organization}`)
  if (organization.length > ORGANIZATION_CHARS_MAX)
    throw new AuthenticationError('unauthorized', 'the organization of the token is not usable')
  return {
    subject: payload.sub,
    organization,
    email: typeof email === 'string' && email.length <= EMAIL_CHARS_MAX ? email : '',
    isEmailVerified: isEmailVerified(payload, names, email),
    issuedAt: payload.iat ?? null,
    role: strongestRole(claim(payload, names.role)),
  }
}

/**
 * Only the literal `true` counts. The standard's claim vouches for the standard's `email` and for no other claim that an
 * address may be read from (OpenID Connect Core 1.0, section 5.1).
 */
function isEmailVerified(payload: JWTPayload, names: ClaimNames, email: unknown): boolean {
  const { emailVerified } = names
  if (emailVerified === null) return true
  if (claim(payload, emailVerified) !== true) return false
  return emailVerified !== STANDARD_EMAIL_VERIFIED || payload.email === email
}

export const STANDARD_EMAIL_VERIFIED = 'email_verified'

/** OpenID Connect Core 1.0, section 2: a subject has at most 255 characters. */
const SUBJECT_CHARS_MAX = 255
const ORGANIZATION_CHARS_MAX = 255

function claim(payload: JWTPayload, name: string): unknown {
  if (Object.hasOwn(payload, name)) return payload[name]
  return name.split('.').reduce<unknown>((value, part) => {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, part)) return undefined
    return Reflect.get(value, part)
  }, payload)
}

function strongestRole(value: unknown): Role | null {
  const named = Array.isArray(value) ? value : [value]
  return ROLES.find((role) => named.includes(role)) ?? null
}
