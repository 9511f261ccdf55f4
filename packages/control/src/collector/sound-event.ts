/**
 * Whether a value is a sound event: what `trafficEventSchema` says, written out, because it is asked for every request
 * that goes through any gateway and a schema takes ten times as long to answer. A test holds the two together.
 */
import {
  CREDENTIALS,
  EVENT_KINDS,
  EXCERPT_CHARS_MAX,
  HITS_MAX,
  ID_CHARS_MAX,
  INSPECTIONS,
  OUTCOMES,
  PATH_CHARS_MAX,
  QUERY_NAMES_MAX,
  SEVERITIES,
  TARGET_CHARS_MAX,
  type TrafficEvent,
  USER_AGENT_CHARS_MAX,
} from '@sallyport/contract'

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/
const TIME_MIN = Date.UTC(2020, 0)
const TIME_MAX = Date.UTC(2100, 0)
const MESSAGES_MAX = 2 ** 32 - 1
const HTTP_VERSIONS = ['1.0', '1.1', '2']
const SCHEMES = ['http', 'https']

/** An event, or anything else that JSON can say. */
type Candidate = { readonly [Field in keyof TrafficEvent]?: unknown }
type HitCandidate = { readonly [Field in keyof TrafficEvent['hits'][number]]?: unknown }

export function isSoundEvent(value: unknown): value is TrafficEvent {
  if (typeof value !== 'object' || value === null) return false
  const event: Candidate = value
  return (
    hasSoundSender(event) &&
    hasSoundTarget(event) &&
    hasSoundAnswer(event) &&
    isListOf(event.hits, HITS_MAX, isSoundHit)
  )
}

const hasSoundSender = (event: Candidate): boolean =>
  isText(event.orgId, ID_CHARS_MAX) &&
  isText(event.siteId, ID_CHARS_MAX) &&
  isText(event.gatewayId, ID_CHARS_MAX) &&
  event.gatewayId !== '' &&
  isText(event.researcherId, ID_CHARS_MAX) &&
  isOneOf(event.credential, CREDENTIALS) &&
  isText(event.credentialId, ID_CHARS_MAX) &&
  isText(event.clientAddress, 128) &&
  isOneOf(event.httpVersion, HTTP_VERSIONS) &&
  isText(event.tls, 16) &&
  isText(event.userAgent, USER_AGENT_CHARS_MAX) &&
  isText(event.tool, 64)

const hasSoundTarget = (event: Candidate): boolean =>
  typeof event.id === 'string' &&
  UUID.test(event.id) &&
  isOneOf(event.kind, EVENT_KINDS) &&
  isInteger(event.time, TIME_MAX) &&
  event.time >= TIME_MIN &&
  isText(event.method, 64) &&
  isOneOf(event.scheme, SCHEMES) &&
  isText(event.host, 261) &&
  isText(event.target, TARGET_CHARS_MAX) &&
  isText(event.path, PATH_CHARS_MAX) &&
  isText(event.route, PATH_CHARS_MAX) &&
  isListOf(event.queryNames, QUERY_NAMES_MAX, isLabel)

const hasSoundAnswer = (event: Candidate): boolean =>
  isInteger(event.status, 999) &&
  isOneOf(event.outcome, OUTCOMES) &&
  isText(event.reason, 64) &&
  isText(event.rule, 128) &&
  isText(event.reading, 128) &&
  isInteger(event.requestBytes, Number.MAX_SAFE_INTEGER) &&
  isInteger(event.responseBytes, Number.MAX_SAFE_INTEGER) &&
  isInteger(event.durationUs, Number.MAX_SAFE_INTEGER) &&
  isInteger(event.firstByteUs, Number.MAX_SAFE_INTEGER) &&
  isOneOf(event.inspection, INSPECTIONS) &&
  isInteger(event.messagesIn, MESSAGES_MAX) &&
  isInteger(event.messagesOut, MESSAGES_MAX)

function isSoundHit(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  const hit: HitCandidate = value
  return (
    isText(hit.rule, 128) &&
    hit.rule !== '' &&
    isText(hit.class, 128) &&
    isOneOf(hit.severity, SEVERITIES) &&
    isText(hit.part, 32) &&
    isLabel(hit.parameter) &&
    isText(hit.excerpt, EXCERPT_CHARS_MAX) &&
    typeof hit.excluded === 'boolean'
  )
}

const isText = (value: unknown, charsMax: number): value is string =>
  typeof value === 'string' && value.length <= charsMax

const isLabel = (value: unknown): boolean => isText(value, 256)

const isInteger = (value: unknown, max: number): value is number =>
  Number.isSafeInteger(value) && typeof value === 'number' && value >= 0 && value <= max

const isOneOf = (value: unknown, values: readonly string[]): boolean =>
  typeof value === 'string' && values.includes(value)

const isListOf = (value: unknown, itemsMax: number, isItem: (item: unknown) => boolean): boolean =>
  Array.isArray(value) && value.length <= itemsMax && value.every(isItem)
