/** The words and bounds of the record's fields. */

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

export const HTTP_VERSIONS = ['1.0', '1.1', '2'] as const
export const SCHEMES = ['http', 'https'] as const

/** The methods that metrics tell apart; clients may make up any other, and those are one. */
export const COUNTED_METHODS: readonly string[] =
  'GET HEAD POST PUT PATCH DELETE OPTIONS CONNECT TRACE'.split(' ')
/** How metrics name all other methods (OpenTelemetry's semantic conventions). */
export const OTHER_METHOD = '_OTHER'

export const TARGET_CHARS_MAX = 8_192
export const PATH_CHARS_MAX = 2_048
export const USER_AGENT_CHARS_MAX = 512
export const EXCERPT_CHARS_MAX = 160
export const HIT_REASON_CHARS_MAX = 256
export const QUERY_NAMES_MAX = 64
export const HITS_MAX = 32
export const SCANNER_REASON_CHARS_MAX = 160
export const READING_CHARS_MAX = 128
/** From here on, in percent, a request counts as a scanner's wherever that is counted. The rollup of the store has the same number. */
export const SCANNER_PERCENT_MIN = 80
/** Class of the hits that say what a request violates of its site's API definition. */
export const DEFINITION_CLASS = 'definition'
/** Hosts of one answer outside of the gate, each with a port where it is not its scheme's. */
export const LEADS_TO_MAX = 16
export const LEADS_TO_CHARS_MAX = 261
/** Of a WebSocket, each way; there are no more in the record, however many there were. */
export const MESSAGES_MAX = 2 ** 32 - 1

export const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/
