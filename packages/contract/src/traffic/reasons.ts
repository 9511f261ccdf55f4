import { keysOf } from '../keys-of.ts'

/** Why the gate itself, a rule or a fault answered, with the sentence that an admitted researcher reads. */
export const REASONS = {
  unknown_host: 'No site is published under this name.',
  site_closed: 'This site is not open for testing now.',
  no_credential: 'This site admits invited researchers only.',
  unknown_credential: 'This key, session or invitation is not valid here.',
  sign_in_lapsed: 'This sign-in took too long, was used before, or was begun in another browser.',
  foreign_page: 'Only a page of the gate itself may ask for this.',
  nothing_here: 'There is nothing under this address.',
  invalid_field: 'A field of the request is missing or not as it should be.',
  other_session: 'Another researcher is signed in in this browser.',
  too_many_attempts: 'This was tried too often for now.',
  control_away: 'The gate cannot reach its control plane for now.',
  researcher_paused: 'Your access is paused by the organization.',
  researcher_expired: 'Your access has expired.',
  researcher_not_listed: 'You are not on the list of this site.',
  access_ended: 'Your access ended while the request was running.',
  lease_ended: 'The gate has not heard for too long whether this site is still open.',
  gateway_closed: 'The operator has closed this at the gate for now.',
  block_rule: 'A block rule of this site covers this path.',
  ambiguous_target: 'This site refuses targets that can be read in more than one way.',
  rate_limit: 'The rate limit of this site is used up for now.',
  researcher_share: 'Your share of the rate limit of this site is used up for now.',
  firewall: 'A firewall rule of this site matched this request.',
  definition: 'The API definition of this site does not allow this request.',
  not_inspected: 'The firewall of this site could not inspect all of this request.',
  malformed_request: 'The request cannot be framed safely.',
  misdirected_request: 'The Host of the request is not the one that the connection was opened for.',
  head_too_large: 'The request head is larger than the gate accepts.',
  body_too_large: 'The request body is larger than the gate accepts.',
  request_timeout: 'The request did not arrive in time.',
  too_many_streams: 'You have too many requests running at once.',
  origin_unreachable: 'The origin could not be reached.',
  origin_forbidden_address: 'The origin resolves to an address that the gate may not connect to.',
  origin_certificate: 'The certificate of the origin could not be verified.',
  origin_timeout: 'The origin did not answer in time.',
  origin_malformed: 'The origin answered with something that is not HTTP.',
  origin_circuit_open: 'The origin failed repeatedly and is left alone for a moment.',
  client_aborted: 'The client went away before its request or the answer was complete.',
  origin_aborted: 'The origin broke off its answer.',
  journal_full: 'The gate cannot record more requests now, and admits none unrecorded.',
  gateway_stopping: 'The gate is restarting.',
  gate_error: 'The gate could not judge this request, and so did not forward it.',
} as const
export type Reason = keyof typeof REASONS

/** Why an origin did not answer, or not to its end. The gate had let the request through. */
export type OriginReason = Extract<Reason, `origin_${string}`>
export const ORIGIN_REASONS: readonly OriginReason[] = keysOf(REASONS).filter(
  (reason): reason is OriginReason => reason.startsWith('origin_'),
)
