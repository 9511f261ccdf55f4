/**
 * How an event becomes text. Its fields are split in two: the head, known when the request goes to the origin, and the
 * tail, known at its end. The journal holds the two halves of one JSON object; a batch joins them as they are, so each
 * event is serialized once.
 */
import type { TrafficEvent } from '@sallyport/contract'
import type { TrafficIntent } from './recorder.ts'

/** Everything but the closing brace of the event's JSON, as far as it is known before forwarding. */
export function encodeHead(intent: TrafficIntent): string {
  const { target, path, route, queryNames } = intent
  const quotedPath = quote(path)
  return (
    `{"id":${quote(intent.id)},"kind":"${intent.kind}","time":${intent.time},"method":${quote(intent.method)},` +
    `"target":${target === path ? quotedPath : quote(target)},"path":${quotedPath},` +
    `"route":${route === path ? quotedPath : quote(route)},` +
    `"queryNames":${queryNames.length === 0 ? '[]' : JSON.stringify(queryNames)},${encodeSender(intent)}`
  )
}

/** What is the same in all requests of a connection, and mostly in all of a researcher. */
const senderOf = (intent: TrafficIntent) => ({
  orgId: intent.orgId,
  siteId: intent.siteId,
  gatewayId: intent.gatewayId,
  researcherId: intent.researcherId,
  credential: intent.credential,
  credentialId: intent.credentialId,
  clientAddress: intent.clientAddress,
  httpVersion: intent.httpVersion,
  tls: intent.tls,
  scheme: intent.scheme,
  host: intent.host,
  userAgent: intent.userAgent,
  tool: intent.tool,
})
type Sender = ReturnType<typeof senderOf>

/** The last sender of each researcher, as text: serializing it is the larger half of an intent's cost. */
const senders = new Map<string, { readonly sender: Sender; readonly text: string }>()
const SENDERS_MAX = 1_000

function encodeSender(intent: TrafficIntent): string {
  const known = senders.get(intent.researcherId)
  if (known && isSameSender(known.sender, intent)) return known.text
  const sender = senderOf(intent)
  const text = JSON.stringify(sender).slice(1, -1)
  if (senders.size >= SENDERS_MAX) senders.clear()
  senders.set(intent.researcherId, { sender, text })
  return text
}

/** Field by field, the ones that differ soonest first; a loop over the names would cost three times as much. */
const isSameSender = (a: Sender, b: Sender): boolean =>
  a.siteId === b.siteId &&
  a.userAgent === b.userAgent &&
  a.clientAddress === b.clientAddress &&
  a.host === b.host &&
  a.credentialId === b.credentialId &&
  a.credential === b.credential &&
  a.orgId === b.orgId &&
  a.tool === b.tool &&
  a.tls === b.tls &&
  a.scheme === b.scheme &&
  a.httpVersion === b.httpVersion &&
  a.gatewayId === b.gatewayId &&
  a.researcherId === b.researcherId

const quote = (text: string): string => (text === '' ? '""' : JSON.stringify(text))

/** The rest of the event's JSON, from the comma to the closing brace. */
export const encodeTail = (event: Omit<TrafficEvent, keyof TrafficIntent> & EventInspection): string =>
  `,"status":${event.status},"outcome":"${event.outcome}","reason":${quote(event.reason)},` +
  `"rule":${quote(event.rule)},"reading":${quote(event.reading)},` +
  `"requestBytes":${event.requestBytes},"responseBytes":${event.responseBytes},` +
  `"durationUs":${event.durationUs},"firstByteUs":${event.firstByteUs},"inspection":"${event.inspection}",` +
  `"hits":${event.hits.length === 0 ? '[]' : JSON.stringify(event.hits)},` +
  `"messagesIn":${event.messagesIn},"messagesOut":${event.messagesOut}}`
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
