/**
 * Requests as OCSF events: class HTTP Activity (4002) of the category Network Activity, with the profile Security
 * Control. https://schema.ocsf.io/1.6.0/classes/http_activity
 */
import { isIP } from 'node:net'
import type { FirewallHit, Outcome, Severity, TrafficEvent } from '@sallyport/contract'

const VERSION = '1.6.0'
const CLASS_UID = 4002
const OTHER = 99

/** `activity_id` by method; every other method is 99, Other. */
const ACTIVITIES: Readonly<Record<string, readonly [id: number, name: string]>> = {
  CONNECT: [1, 'Connect'],
  DELETE: [2, 'Delete'],
  GET: [3, 'Get'],
  HEAD: [4, 'Head'],
  OPTIONS: [5, 'Options'],
  POST: [6, 'Post'],
  PUT: [7, 'Put'],
  TRACE: [8, 'Trace'],
  PATCH: [9, 'Patch'],
}

/** `action_id` and `disposition_id` by who answered. */
const DISPOSITIONS: Readonly<
  Record<Outcome, readonly [actionId: number, action: string, dispositionId: number, disposition: string]>
> = {
  origin: [1, 'Allowed', 1, 'Allowed'],
  block: [2, 'Denied', 2, 'Blocked'],
  limit: [2, 'Denied', 25, 'Rejected'],
  firewall: [2, 'Denied', 2, 'Blocked'],
  gate: [2, 'Denied', 25, 'Rejected'],
  interrupted: [0, 'Unknown', 27, 'Error'],
}
/** The firewall saw something and let it pass. */
const DETECTED = [3, 'Observed', 15, 'Detected'] as const

const STATUSES: Readonly<Record<Outcome, readonly [id: number, name: string]>> = {
  origin: [1, 'Success'],
  block: [2, 'Failure'],
  limit: [2, 'Failure'],
  firewall: [2, 'Failure'],
  gate: [2, 'Failure'],
  interrupted: [0, 'Unknown'],
}

const SEVERITIES: Readonly<Record<Severity, readonly [id: number, name: string]>> = {
  low: [2, 'Low'],
  medium: [3, 'Medium'],
  high: [4, 'High'],
  critical: [5, 'Critical'],
}
const INFORMATIONAL = [1, 'Informational'] as const

/** One line of OCSF JSON for each event. */
export const ocsfLines = (events: readonly TrafficEvent[]): string =>
  events.map((event) => `${JSON.stringify(toOcsf(event))}\n`).join('')

export function toOcsf(event: TrafficEvent): Record<string, unknown> {
  const [activityId, activity] = activityOf(event.method)
  const counting = event.hits.filter((hit) => !hit.excluded)
  const [severityId, severity] = worst(counting)
  const [statusId, status] = STATUSES[event.outcome]
  const [actionId, action, dispositionId, disposition] =
    event.outcome === 'origin' && counting.length > 0 ? DETECTED : DISPOSITIONS[event.outcome]
  return known({
    metadata: metadataOf(event),
    category_uid: 4,
    category_name: 'Network Activity',
    class_uid: CLASS_UID,
    class_name: 'HTTP Activity',
    activity_id: activityId,
    activity_name: activityId === OTHER ? event.method : activity,
    type_uid: CLASS_UID * 100 + activityId,
    type_name: `HTTP Activity: ${activity}`,
    time: event.time,
    // Several refusals in one event.
    count: event.requestCount === 1 ? undefined : integer(event.requestCount),
    duration: Math.round(event.durationUs / 1000),
    severity_id: severityId,
    severity,
    status_id: statusId,
    status,
    status_code: event.status === 0 ? '' : String(event.status),
    status_detail: event.reason,
    action_id: actionId,
    action,
    disposition_id: dispositionId,
    disposition,
    firewall_rule: ruleOf(event, counting),
    src_endpoint: sourceOf(event),
    dst_endpoint: known({ ...nameAndPort(event.host), uid: event.siteId }),
    tls: event.tls === '' ? undefined : { version: event.tls },
    http_request: requestOf(event),
    http_response: responseOf(event),
    traffic: { bytes_in: event.requestBytes, bytes_out: event.responseBytes },
    unmapped: unmappedOf(event),
  })
}

/** Methods are the researcher's words: `constructor` must not find anything. */
const activityOf = (method: string): readonly [id: number, name: string] =>
  (Object.hasOwn(ACTIVITIES, method) && ACTIVITIES[method]) || [OTHER, 'Other']

/** Leaves out what is not known: an attribute that is there but empty would be a statement. */
const known = (attributes: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(attributes).filter(([, value]) => value !== undefined && value !== ''))

const metadataOf = (event: TrafficEvent): Record<string, unknown> => ({
  version: VERSION,
  profiles: ['security_control'],
  uid: event.kind === 'request' ? event.id : `${event.id}/${event.kind}`,
  product: {
    name: 'Sallyport',
    vendor_name: 'Sallyport',
    feature: { name: 'gateway', uid: event.gatewayId },
  },
  tenant_uid: event.orgId,
  event_code: event.kind,
})

const worst = (hits: readonly FirewallHit[]): readonly [number, string] =>
  hits
    .map((hit) => SEVERITIES[hit.severity])
    .reduce((left, right) => (right[0] > left[0] ? right : left), INFORMATIONAL as readonly [number, string])

/** The rule that refused, or else the first that matched. */
function ruleOf(event: TrafficEvent, hits: readonly FirewallHit[]): Record<string, unknown> | undefined {
  const hit = hits.find((candidate) => candidate.rule === event.rule) ?? hits[0]
  if (!hit) return event.rule === '' ? undefined : { uid: event.rule, type: event.outcome }
  return known({
    uid: hit.rule,
    type: 'firewall',
    condition: hit.class,
    sensitivity: hit.severity,
    match_location: hit.parameter === '' ? hit.part : `${hit.part}:${hit.parameter}`,
    match_details: [hit.excerpt],
  })
}

/** A redacted address is not an address: a hash goes to `uid`, and of a dropped one nothing is said. */
function sourceOf({ clientAddress, researcherId }: TrafficEvent): Record<string, unknown> | undefined {
  const endpoint = known({
    ip: isIP(clientAddress) > 0 ? clientAddress : '',
    uid: isIP(clientAddress) > 0 ? '' : clientAddress,
    owner: researcherId === '' ? undefined : { uid: researcherId },
  })
  // An endpoint is named by itself, not by its owner alone.
  return 'ip' in endpoint || 'uid' in endpoint ? endpoint : undefined
}

function nameAndPort(host: string): { hostname: string; port?: number } {
  const [, hostname = host, port] = /^(.*):(\d{1,5})$/.exec(host) ?? []
  return port === undefined || Number(port) > 65_535 ? { hostname } : { hostname, port: Number(port) }
}

function requestOf(event: TrafficEvent): Record<string, unknown> {
  const query = event.target.indexOf('?')
  return known({
    uid: event.id,
    // The class knows these methods only; `activity_name` says any other.
    http_method: Object.hasOwn(ACTIVITIES, event.method) ? event.method : '',
    version: event.httpVersion,
    user_agent: event.userAgent,
    length: integer(event.requestBytes),
    url: known({
      scheme: event.scheme,
      ...nameAndPort(event.host),
      path: event.path,
      query_string: query === -1 ? '' : event.target.slice(query + 1),
      url_string: `${event.scheme}://${event.host}${event.target}`,
    }),
  })
}

/** Nothing where nothing was answered: a response has a code. */
const responseOf = (event: TrafficEvent): Record<string, unknown> | undefined =>
  event.status === 0
    ? undefined
    : known({
        code: event.status,
        length: integer(event.responseBytes),
        latency: integer(Math.round(event.firstByteUs / 1000)),
      })

/** OCSF's `integer_t` has 32 bits; what is larger is in `traffic`, whose numbers have 64. */
const integer = (value: number): number | undefined => (value < 2 ** 31 ? value : undefined)

const unmappedOf = (event: TrafficEvent): Record<string, unknown> => ({
  outcome: event.outcome,
  rule: event.rule,
  reading: event.reading,
  route: event.route,
  credential: event.credential,
  credential_id: event.credentialId,
  tool: event.tool,
  inspection: event.inspection,
  hits: event.hits,
  query_names: event.queryNames,
  messages_in: event.messagesIn,
  messages_out: event.messagesOut,
  request_count: event.requestCount,
  leads_to: event.leadsTo,
  rewritten_names: event.rewrittenNames,
  scanner_percent: event.scannerPercent,
  scanner_reason: event.scannerReason,
})
