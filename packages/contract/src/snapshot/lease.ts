/**
 * The lease under which gateways serve: `POST /gateway/lease`, gateway to control plane, with a `LeaseChallenge`; answered by
 * a `LeaseGrant`.
 *
 * A gateway sends a challenge every `LEASE_INTERVAL_MS`. The control plane reads the present revision after that, and echoes
 * the challenge with it. Once the gateway runs that revision, what it serves is known to have been in force when it sent the
 * challenge, and the leases of all organizations count from then, on the gateway's clock. Each organization says how long its
 * lease is (`OrganizationConfig.leaseMs`); past it the gateway serves nothing of that organization.
 *
 * The control plane notes when it granted, so that it knows until when a gateway that it hears nothing of may go on serving.
 * A grant that its gateway has not caught up with is the last one: then the revision of the answer is null, so that a gateway
 * whose feed is stuck is not vouched for again and again.
 *
 * A control plane of before leases answers 404 and says no `leaseMs`; what it sends is served for as long as it is there.
 */

export const LEASE_PATH = '/gateway/lease'
export const LEASE_INTERVAL_MS = 1_000

/** Seconds; an organization may also say that its lease never ends. */
export const LEASE_DEFAULT_SECONDS = 120
export const LEASE_SECONDS_MIN = 10
export const LEASE_SECONDS_MAX = 31_536_000

/** Random characters of a challenge: base64url. */
export const LEASE_CHALLENGE_CHARS = 22

export interface LeaseChallenge {
  readonly gatewayId: string
  /** Drawn anew for each, so that no answer to an earlier one, buffered somewhere, renews anything. */
  readonly challenge: string
  /** The revision that the gateway runs. */
  readonly revision: number
  /** Of the gateway's program, such as `1.4.0`. */
  readonly version: string
}

export interface LeaseGrant {
  /** That of the question. */
  readonly challenge: string
  /** What the gateway must run for the lease to count from its challenge; null where nothing is granted. */
  readonly revision: number | null
  /** Said where the gateway's own credential is due to be renewed (`enrolment.ts`). */
  readonly renewCredential?: true
}
