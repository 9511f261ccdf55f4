/**
 * How an event becomes text. Its fields are split in two: the head, known when the request goes to the origin, and the
 * tail, known at its end. The journal holds the two halves of one JSON object; a batch joins them as they are, so each
 * event is serialized once.
 */
import type { TrafficEvent } from '@sallyport/contract'
import type { TrafficIntent } from './recorder.ts'

/** Everything but the closing brace of the event's JSON, as far as it is known before forwarding. */
export function encodeHead(intent: TrafficIntent): string {
  const json = JSON.stringify({
    id: intent.id,
    kind: intent.kind,
    time: intent.time,
    orgId: intent.orgId,
    siteId: intent.siteId,
    gatewayId: intent.gatewayId,
    researcherId: intent.researcherId,
    credential: intent.credential,
    credentialId: intent.credentialId,
    clientAddress: intent.clientAddress,
    httpVersion: intent.httpVersion,
    tls: intent.tls,
    method: intent.method,
    scheme: intent.scheme,
    host: intent.host,
    target: intent.target,
    path: intent.path,
    route: intent.route,
    queryNames: intent.queryNames,
    userAgent: intent.userAgent,
    tool: intent.tool,
  })
  return json.slice(0, -1)
}

/** The rest of the event's JSON, from the comma to the closing brace. */
export function encodeTail(event: Omit<TrafficEvent, keyof TrafficIntent> & EventInspection): string {
  const json = JSON.stringify({
    status: event.status,
    outcome: event.outcome,
    reason: event.reason,
    rule: event.rule,
    reading: event.reading,
    requestBytes: event.requestBytes,
    responseBytes: event.responseBytes,
    durationUs: event.durationUs,
    firstByteUs: event.firstByteUs,
    inspection: event.inspection,
    hits: event.hits,
    messagesIn: event.messagesIn,
    messagesOut: event.messagesOut,
  })
  return `,${json.slice(1)}`
}
type EventInspection = Pick<TrafficEvent, 'inspection' | 'hits'>

const INTERRUPTED = {
  status: 0,
  outcome: 'interrupted',
  reason: '',
  rule: '',
  reading: '',
  requestBytes: 0,
  responseBytes: 0,
  durationUs: 0,
  firstByteUs: 0,
  messagesIn: 0,
  messagesOut: 0,
} as const
const NO_HITS: TrafficEvent['hits'] = []
const interruptedTail = (inspection: TrafficEvent['inspection'], hits: TrafficEvent['hits']): string =>
  encodeTail({ ...INTERRUPTED, inspection, hits })
const INTERRUPTED_TAILS = {
  off: interruptedTail('off', NO_HITS),
  skipped: interruptedTail('skipped', NO_HITS),
  full: interruptedTail('full', NO_HITS),
  partial: interruptedTail('partial', NO_HITS),
} as const satisfies Record<TrafficEvent['inspection'], string>

/** The tail of an event whose end nobody saw. */
export const encodeInterruptedTail = (intent: TrafficIntent): string =>
  intent.hits.length === 0
    ? INTERRUPTED_TAILS[intent.inspection]
    : interruptedTail(intent.inspection, intent.hits)
