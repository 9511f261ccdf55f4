/**
 * The record of one request: what the gateway writes, the store keeps and the console shows. One event per request,
 * whatever happened to it; a WebSocket has two, one when it opens and one when it closes. Refusals of strangers share
 * one event where there are very many of them (`requestCount`).
 */

/**
 * Who answered. `origin`: the request was forwarded and the origin's answer (or the abort of it) is recorded.
 * `block`: a block rule. `limit`: a rate limit. `firewall`: a firewall rule in enforce mode. `gate`: Sallyport itself
 * (no access, closed site, malformed request, origin out of reach). `interrupted`: the gateway died while the request
 * was with the origin, so its end is unknown.
 */
export const OUTCOMES = ['origin', 'block', 'limit', 'firewall', 'gate', 'interrupted'] as const
export type Outcome = (typeof OUTCOMES)[number]

export const EVENT_KINDS = ['request', 'websocket_open', 'websocket_close'] as const
export type EventKind = (typeof EVENT_KINDS)[number]

/** How the researcher proved who they are. */
export const CREDENTIALS = ['none', 'key', 'session'] as const
export type Credential = (typeof CREDENTIALS)[number]

/** How much of the request the firewall saw. `off`: the site has no firewall; `skipped`: refused before its turn. */
export const INSPECTIONS = ['off', 'skipped', 'full', 'partial'] as const
export type Inspection = (typeof INSPECTIONS)[number]

export const SEVERITIES = ['low', 'medium', 'high', 'critical'] as const
export type Severity = (typeof SEVERITIES)[number]

/** One firewall rule that matched. */
export interface FirewallHit {
  /** Rule id, for example `crs-942-100`. */
  readonly rule: string
  /** Class of attack, for example `sql_injection`. */
  readonly class: string
  readonly severity: Severity
  /** Part of the request: `query`, `path`, `body`, `header`, `cookie`, `file`, `method`, `target`. */
  readonly part: string
  /** Parameter, header or field in that part, for example `user.name[0]`; empty where there is none. */
  readonly parameter: string
  /** What matched, masked where it looks like a secret. At most `EXCERPT_CHARS_MAX` characters. */
  readonly excerpt: string
  /** True where an exclusion let it pass. */
  readonly excluded: boolean
}

/** Who sent a request, and by what way it came: the same for thousands of requests. */
export interface TrafficSender {
  readonly orgId: string
  readonly siteId: string
  readonly gatewayId: string
  /** Empty for a stranger. */
  readonly researcherId: string
  readonly credential: Credential
  /** First 12 hex digits of the key's hash, or the session's id: which of a researcher's credentials it was. */
  readonly credentialId: string
  readonly clientAddress: string
  readonly httpVersion: '1.0' | '1.1' | '2'
  /** TLS version of the researcher's connection; empty for plain HTTP. */
  readonly tls: string
  readonly scheme: 'http' | 'https'
  readonly host: string
  readonly userAgent: string
  /** The tool that the request betrays (`burp`, `sqlmap`, `curl`, …), empty where it looks like a browser. */
  readonly tool: string
}

/** What was asked, and what became of it. */
export interface TrafficRequest {
  /** Request id, UUIDv7; the same on both events of a WebSocket, where `kind` tells them apart. */
  readonly id: string
  readonly kind: EventKind
  /** When the request head was complete (for `websocket_close`: when it closed), milliseconds since the epoch. */
  readonly time: number
  readonly method: string
  /** The request target as it was sent, cut at `TARGET_CHARS_MAX`; query values masked if the site says so. */
  readonly target: string
  /** The path as most origins would read it: decoded once, dot segments resolved, without the query. */
  readonly path: string
  /** The path with typed segments replaced, for example `/orders/{id}`. */
  readonly route: string
  readonly queryNames: readonly string[]
  /** Status sent to the researcher; 0 where none was. */
  readonly status: number
  readonly outcome: Outcome
  /** A code of `REASONS` that says why, empty where the origin answered. */
  readonly reason: string
  /** The rule that refused: a block rule's id, a policy's name, a firewall rule's id. */
  readonly rule: string
  /** Which reading of the target fell under the block rule, for example `decoded twice`. */
  readonly reading: string
  readonly requestBytes: number
  readonly responseBytes: number
  /** From the request head to the last byte of the answer, microseconds. */
  readonly durationUs: number
  /** From the request head to the first byte of the answer, microseconds; 0 where there was none. */
  readonly firstByteUs: number
  readonly inspection: Inspection
  readonly hits: readonly FirewallHit[]
  /** WebSocket messages from and to the researcher; 0 for anything else. */
  readonly messagesIn: number
  readonly messagesOut: number
  /**
   * How many requests the event stands for: 1, but for strangers' refusals past a rate. `id` and `time` are then those of
   * the first of them, bytes are their sum, durations their mean, and a text in which they differ is empty.
   */
  readonly requestCount: number
}

/** One request and who sent it. */
export interface TrafficEvent extends TrafficSender, TrafficRequest {}

export const TARGET_CHARS_MAX = 8_192
export const PATH_CHARS_MAX = 2_048
export const USER_AGENT_CHARS_MAX = 512
export const EXCERPT_CHARS_MAX = 160
export const QUERY_NAMES_MAX = 64
export const HITS_MAX = 32

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
  block_rule: 'A block rule of this site covers this path.',
  ambiguous_target: 'This site refuses targets that can be read in more than one way.',
  rate_limit: 'The rate limit of this site is used up for now.',
  researcher_share: 'Your share of the rate limit of this site is used up for now.',
  firewall: 'A firewall rule of this site matched this request.',
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
  client_aborted: 'The client went away before the answer was complete.',
  origin_aborted: 'The origin broke off its answer.',
  journal_full: 'The gate cannot record more requests now, and admits none unrecorded.',
  gateway_stopping: 'The gate is restarting.',
  gate_error: 'The gate could not judge this request, and so did not forward it.',
} as const
export type Reason = keyof typeof REASONS
