/**
 * How a gateway gets a credential of its own, and another before that one ends.
 *
 * `POST /gateway/enrolment`, with no credential and an `Enrolment`: a token that an operator made is used up, and from then on
 * the gateway is known by the credential whose hash it sent. `POST /gateway/credential`, with the credential in force and a
 * `CredentialRenewal`: the next one, which replaces it when the gateway first shows it; 403 where a later one was shown already. Both
 * answer 204, also to a repetition whose answer was lost. The credential itself leaves the gateway only in `Authorization`, and is stored nowhere else.
 *
 * Every other call of the gateway is answered 401 with a `CredentialRefusal` in `error_description` of `WWW-Authenticate` (RFC 6750,
 * section 3) where its credential does not hold, and 403 where it names another gateway than its own.
 */

export const ENROLMENT_PATH = '/gateway/enrolment'
export const RENEWAL_PATH = '/gateway/credential'

/** The name of a gateway. */
export const GATEWAY_ID_FORM = /^[A-Za-z0-9._-]{1,64}$/

/** For how long a token to enrol a gateway may be used. */
export const ENROLMENT_TOKEN_MINUTES = 15
/** For how long a gateway is known by a credential that it does not renew. */
export const CREDENTIAL_DAYS = 90
/** After so many days it is told to renew it. */
export const CREDENTIAL_RENEWAL_DAYS = 30
/** For how long the one before works beside its successor, for calls that are under way. */
export const CREDENTIAL_OVERLAP_SECONDS = 60

export interface Enrolment {
  /** `ge_live_…`, used once. */
  readonly token: string
  readonly gatewayId: string
  /** SHA-256 of the credential, `gw_live_…`, in hex. */
  readonly credentialHash: string
}

export interface CredentialRenewal {
  readonly gatewayId: string
  /** SHA-256 of the next credential, in hex. */
  readonly credentialHash: string
}

/** Why a gateway is not enrolled: the body of a 403. */
export const ENROLMENT_REFUSALS = [
  'token_unknown',
  'token_used',
  'token_ended',
  'other_name',
  'name_taken',
] as const
export type EnrolmentRefusal = (typeof ENROLMENT_REFUSALS)[number]

/** Why a credential does not hold. */
export const CREDENTIAL_REFUSALS = ['unknown', 'revoked', 'superseded', 'ended'] as const
export type CredentialRefusal = (typeof CREDENTIAL_REFUSALS)[number]
