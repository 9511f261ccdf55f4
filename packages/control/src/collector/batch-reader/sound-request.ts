/**
 * Whether a batch's line says a sound request: what `trafficRequestSchema` says, written out, because it is asked for
 * every request that goes through any gateway and a schema takes ten times as long to answer. A test holds the two
 * together.
 */
import {
  EVENT_KINDS,
  EXCERPT_CHARS_MAX,
  type FirewallHit,
  HITS_MAX,
  INSPECTIONS,
  OUTCOMES,
  PATH_CHARS_MAX,
  QUERY_NAMES_MAX,
  type RequestCandidate,
  SEVERITIES,
  TARGET_CHARS_MAX,
  type TrafficRequest,
} from '@sallyport/contract'

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/
const TIME_MIN = Date.UTC(2020, 0)
const TIME_MAX = Date.UTC(2100, 0)
const MESSAGES_MAX = 2 ** 32 - 1

type HitCandidate = { readonly [Field in keyof FirewallHit]?: unknown }

export const isSoundRequest = (candidate: RequestCandidate): candidate is TrafficRequest =>
  hasSoundTarget(candidate) && hasSoundAnswer(candidate) && isListOf(candidate.hits, HITS_MAX, isSoundHit)

const hasSoundTarget = (request: RequestCandidate): boolean =>
  typeof request.id === 'string' &&
  UUID.test(request.id) &&
  isOneOf(request.kind, EVENT_KINDS) &&
  isInteger(request.time, TIME_MAX) &&
  request.time >= TIME_MIN &&
  isText(request.method, 64) &&
  isText(request.target, TARGET_CHARS_MAX) &&
  isText(request.path, PATH_CHARS_MAX) &&
  isText(request.route, PATH_CHARS_MAX) &&
  isListOf(request.queryNames, QUERY_NAMES_MAX, isLabel)

const hasSoundAnswer = (request: RequestCandidate): boolean =>
  isInteger(request.status, 999) &&
  isOneOf(request.outcome, OUTCOMES) &&
  isText(request.reason, 64) &&
  isText(request.rule, 128) &&
  isText(request.reading, 128) &&
  isInteger(request.requestBytes, Number.MAX_SAFE_INTEGER) &&
  isInteger(request.responseBytes, Number.MAX_SAFE_INTEGER) &&
  isInteger(request.durationUs, Number.MAX_SAFE_INTEGER) &&
  isInteger(request.firstByteUs, Number.MAX_SAFE_INTEGER) &&
  isOneOf(request.inspection, INSPECTIONS) &&
  isInteger(request.messagesIn, MESSAGES_MAX) &&
  isInteger(request.messagesOut, MESSAGES_MAX) &&
  isInteger(request.requestCount, Number.MAX_SAFE_INTEGER) &&
  request.requestCount >= 1

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
