/**
 * Requests as OCSF events: class HTTP Activity (4002) of the category Network Activity, with the profile Security
 * Control. https://schema.ocsf.io/1.6.0/classes/http_activity
 */
import type { FirewallHit, Outcome, Severity, TrafficEvent } from '@sallyport/contract'

const VERSION = '1.6.0'
const CLASS_UID = 4002

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
const DETECTED = [1, 'Allowed', 15, 'Detected'] as const

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
  const [activityId, activity] = ACTIVITIES[event.method] ?? [99, 'Other']
  const counting = event.hits.filter((hit) => !hit.excluded)
  const [severityId, severity] = worst(counting)
  const [actionId, action, dispositionId, disposition] =
    event.outcome === 'origin' && counting.length > 0 ? DETECTED : DISPOSITIONS[event.outcome]
  return {
    metadata: {
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
    },
    category_uid: 4,
    category_name: 'Network Activity',
    class_uid: CLASS_UID,
    class_name: 'HTTP Activity',
    activity_id: activityId,
    activity_name: activity === 'Other' ? event.method : activity,
    type_uid: CLASS_UID * 100 + activityId,
    type_name: `HTTP Activity: ${activity}`,
    time: event.time,
    duration: Math.round(event.durationUs / 1000),
    severity_id: severityId,
    severity,
    status_id: event.outcome === 'origin' ? 1 : event.outcome === 'interrupted' ? 0 : 2,
    status_code: String(event.status),
    status_detail: event.reason,
    action_id: actionId,
    action,
    disposition_id: dispositionId,
    disposition,
    ...ruleOf(event, counting),
    ...endpointsOf(event),
    http_request: requestOf(event),
    http_response: {
      code: event.status,
      length: event.responseBytes,
      latency: Math.round(event.firstByteUs / 1000),
    },
    traffic: { bytes_in: event.requestBytes, bytes_out: event.responseBytes },
    unmapped: unmappedOf(event),
  }
}

const worst = (hits: readonly FirewallHit[]): readonly [number, string] =>
  hits
    .map((hit) => SEVERITIES[hit.severity])
    .reduce((left, right) => (right[0] > left[0] ? right : left), INFORMATIONAL as readonly [number, string])

function ruleOf(event: TrafficEvent, hits: readonly FirewallHit[]): Record<string, unknown> {
  const hit = hits.find((candidate) => candidate.rule === event.rule) ?? hits[0]
  if (hit)
    return {
      firewall_rule: {
        uid: hit.rule,
        condition: hit.class,
        sensitivity: hit.severity,
        rule_location: hit.parameter === '' ? hit.part : `${hit.part}:${hit.parameter}`,
        match_details: [hit.excerpt],
      },
    }
  return event.rule === '' ? {} : { firewall_rule: { uid: event.rule } }
}

const endpointsOf = (event: TrafficEvent): Record<string, unknown> => ({
  // A redacted address is not an address: a hash goes to `uid`, and nothing says that it was dropped.
  src_endpoint: {
    ...(/^[0-9a-f.:]+$/i.test(event.clientAddress) && /[.:]/.test(event.clientAddress)
      ? { ip: event.clientAddress }
      : { uid: event.clientAddress }),
    owner: { uid: event.researcherId },
  },
  dst_endpoint: { hostname: event.host, uid: event.siteId },
  ...(event.tls === '' ? {} : { tls: { version: event.tls } }),
})

function requestOf(event: TrafficEvent): Record<string, unknown> {
  const query = event.target.indexOf('?')
  return {
    uid: event.id,
    http_method: event.method,
    version: event.httpVersion,
    user_agent: event.userAgent,
    length: event.requestBytes,
    url: {
      scheme: event.scheme,
      hostname: event.host,
      path: event.path,
      query_string: query === -1 ? '' : event.target.slice(query + 1),
      url_string: `${event.scheme}://${event.host}${event.target}`,
    },
  }
}

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
})
