/**
 * The fields of the record, each on one line: the only list of them. The shape of an event, its schema and its check, the
 * lines of a batch, the draft of a gateway, the columns of the store and of exports, and the filters are made from this table;
 * the tables of the store (`migrations/`) and `docs/record.md` are compared with it by tests.
 *
 * A new field is one entry here (in the tail, at the next place of a request's line), one migration that adds its column,
 * one line of `docs/record.md`, and the place that fills it.
 */
import { keysOf } from '../keys-of.ts'
import { ID_CHARS_MAX } from '../limits.ts'
import {
  atLeast,
  byStatus,
  contains,
  exact,
  type FieldFilter,
  field,
  flag,
  head,
  integer,
  itemField,
  objects,
  prefix,
  SENDER,
  tail,
  text,
  texts,
  uuid,
  word,
} from './field.ts'
import {
  CREDENTIALS,
  EVENT_KINDS,
  EXCERPT_CHARS_MAX,
  HIT_REASON_CHARS_MAX,
  HITS_MAX,
  HTTP_VERSIONS,
  INSPECTIONS,
  LEADS_TO_CHARS_MAX,
  LEADS_TO_MAX,
  MESSAGES_MAX,
  OUTCOMES,
  PATH_CHARS_MAX,
  QUERY_NAMES_MAX,
  READING_CHARS_MAX,
  SCANNER_REASON_CHARS_MAX,
  SCHEMES,
  SEVERITIES,
  TARGET_CHARS_MAX,
  USER_AGENT_CHARS_MAX,
} from './values.ts'

/** A text that repeats from event to event, in a column that keeps each different one once. */
const LABEL = 'LowCardinality(String)'
const TIME = "DateTime64(3, 'UTC')"
const UINT32_MAX = 2 ** 32 - 1
const LONG_FILTER = 2_048

/** A hit of the firewall: field, type and bound, column and its name, meaning, filter, and what it is where an older gateway did not say it. */
// biome-ignore format: a table
export const HIT_FIELDS = {
  rule: itemField(text(128, 1), LABEL, 'hit_rules', 'rule id, for example `crs-942-100`', exact('firewallRule')),
  class: itemField(text(128), LABEL, 'hit_classes', 'class of attack, for example `sql_injection`', exact('firewallClass')),
  severity: itemField(word(SEVERITIES), { enumFrom: 1 }, 'hit_severities', '`low`, `medium`, `high`, `critical`', exact('severity')),
  part: itemField(text(32), LABEL, 'hit_parts', 'part of the request: `query`, `path`, `body`, `header`, `cookie`, `file`, `method`, `target`'),
  parameter: itemField(text(256), 'String', 'hit_parameters', 'parameter, header or field in it', exact('parameter')),
  excerpt: itemField(text(EXCERPT_CHARS_MAX), 'String', 'hit_excerpts', 'what matched, at most 160 characters, masked where it looks like a secret, or where the site wants query values or the user agent out of its record'),
  excluded: itemField(flag, 'Bool', 'hit_excluded', 'whether an exclusion of the site let it pass; such a hit refuses nothing and counts nowhere'),
  scorePercent: itemField(integer(100), 'UInt16', 'hit_scores', 'how likely its class is an attack there, by all that matched in the same value, in percent; 0 where that is not known', atLeast('minScorePercent'), 0),
  reason: itemField(text(HIT_REASON_CHARS_MAX), LABEL, 'hit_reasons', 'what made the score, the weightiest first: names of rules and lexical signs, for example `SQL injection: union of selects, keyword sequence`; empty where that is not known', undefined, ''),
}

/** An event: field, part of a batch, type and bound, column, empty value, meaning, filter. */
// biome-ignore format: a table
export const TRAFFIC_FIELDS = {
  id: field(head(1), uuid, 'UUID', '', 'request id, a UUIDv7; the researcher sees it on refusals', exact('id')),
  kind: field(head(2), word(EVENT_KINDS), { enumFrom: 1 }, 'request', '`request`, `websocket_open`, `websocket_close`', exact('kind')),
  time: field(head(3), integer(Date.UTC(2100, 0), Date.UTC(2020, 0)), TIME, 0, 'when the request head was complete (of `websocket_close`: when it closed); ISO 8601 in the API, milliseconds since the epoch in evidence'),
  orgId: field(SENDER, text(ID_CHARS_MAX), LABEL, '', 'organization; empty where the host was nobody\'s'),
  siteId: field(SENDER, text(ID_CHARS_MAX), LABEL, '', 'site; empty where what was asked of the gate\'s own host concerns none', exact('site')),
  gatewayId: field(SENDER, text(ID_CHARS_MAX, 1), LABEL, '', 'gateway that saw it', exact('gateway')),
  researcherId: field(SENDER, text(ID_CHARS_MAX), LABEL, '', 'researcher; empty for a stranger', exact('hacker')),
  credential: field(SENDER, word(CREDENTIALS), { enumFrom: 0 }, 'none', 'how they proved it: `none`, `key`, `session`', exact('credentialKind')),
  credentialId: field(SENDER, text(ID_CHARS_MAX), LABEL, '', 'which key or session it was: the first 12 hex digits of the key\'s hash, or the session\'s id', exact('credential')),
  clientAddress: field(SENDER, text(128), LABEL, '', 'address that they came from, a keyed hash of it, or nothing, as the site says', exact('address')),
  httpVersion: field(SENDER, word(HTTP_VERSIONS), LABEL, '1.1', '`1.0`, `1.1`, `2`', exact('httpVersion')),
  tls: field(SENDER, text(16), LABEL, '', 'version of TLS; empty for plain HTTP', exact('tls')),
  method: field(head(4), text(64), LABEL, '', 'method, as sent', exact('method')),
  scheme: field(SENDER, word(SCHEMES), LABEL, 'http', '`http` or `https`, as the researcher asked', exact('scheme')),
  host: field(SENDER, text(261), LABEL, '', 'gated name, lower case', exact('host')),
  target: field(head(5), text(TARGET_CHARS_MAX), 'String', '', 'request target exactly as sent, at most 8,192 characters; query values are `***` where the site says so', prefix('target', LONG_FILTER)),
  path: field(head(6), text(PATH_CHARS_MAX), 'String', '', 'path as most origins read it: decoded once, dot segments resolved, without the query', prefix('path', LONG_FILTER)),
  route: field(head(7), text(PATH_CHARS_MAX), LABEL, '', 'template of the site\'s API that the path belongs to, for example `/orders/{orderId}`; where none is known, the path with typed segments replaced: `/orders/{id}`', exact('route', LONG_FILTER)),
  queryNames: field(head(8), texts(QUERY_NAMES_MAX, 256), LABEL, [], 'names of the query parameters, at most 64', exact('queryName')),
  status: field(tail(9), integer(999), 'UInt16', 0, 'status sent to the researcher; 0 where none was', byStatus('status')),
  outcome: field(tail(10), word(OUTCOMES), { enumFrom: 1 }, 'interrupted', 'who answered: `origin`, `block` (a block rule), `limit` (a rate limit), `firewall`, `gate` (Sallyport itself), `interrupted` (the gateway died meanwhile)', exact('outcome')),
  reason: field(tail(17), text(64), LABEL, '', 'why, where it was not simply the origin', exact('reason')),
  rule: field(tail(18), text(128), LABEL, '', 'block rule, rate-limit policy or firewall rule that refused', exact('rule')),
  reading: field(tail(19), text(READING_CHARS_MAX), LABEL, '', 'reading of the target that fell under the block rule, for example `decoded twice`', exact('reading')),
  requestBytes: field(tail(11), integer(), 'UInt64', 0, 'bytes from the researcher', atLeast('minRequestBytes')),
  responseBytes: field(tail(12), integer(), 'UInt64', 0, 'bytes to the researcher', atLeast('minResponseBytes')),
  durationUs: field(tail(13), integer(), 'UInt64', 0, 'microseconds from the request head to the last byte of the answer', atLeast('minDurationUs')),
  firstByteUs: field(tail(14), integer(), 'UInt64', 0, 'microseconds from the request head to the first byte of the answer; 0 where there was none'),
  userAgent: field(SENDER, text(USER_AGENT_CHARS_MAX), LABEL, '', 'the User-Agent header, at most 512 characters; empty where the site drops it', contains('userAgent')),
  tool: field(SENDER, text(64), LABEL, '', 'tool that the request betrays, such as `sqlmap`; `scanner` where it is one and nobody knows which; empty where it looks like a browser', exact('tool')),
  inspection: field(tail(15), word(INSPECTIONS), { enumFrom: 0 }, 'skipped', 'how much the firewall saw: `off`, `skipped`, `full`, `partial`', exact('inspection')),
  hits: field(tail(16), objects(HITS_MAX, HIT_FIELDS), undefined, [], 'firewall rules that matched, at most 32, each as below; of a WebSocket, where it opens'),
  messagesIn: field(tail(20), integer(MESSAGES_MAX), 'UInt32', 0, 'WebSocket messages from the researcher'),
  messagesOut: field(tail(21), integer(MESSAGES_MAX), 'UInt32', 0, 'WebSocket messages to the researcher'),
  requestCount: field(tail(22), integer(Number.MAX_SAFE_INTEGER, 1), 'UInt64', 1, 'how many requests the event stands for: 1, but for refusals of strangers past a rate, as below'),
  leadsTo: field(tail(23), texts(LEADS_TO_MAX, LEADS_TO_CHARS_MAX), 'String', [], 'hosts outside of the gate to which the headers of the answer lead a browser, at most 16, lower case, with a port where it is not the usual one', exact('leadsTo', 320)),
  rewrittenNames: field(tail(24), integer(UINT32_MAX), 'UInt32', 0, 'host names that the gate rewrote in the body of the answer; 0 where the body is as the origin sent it'),
  scannerPercent: field(tail(25), integer(100), 'UInt16', 0, 'how sure it is that a scanner sent it, by what it and the requests before it show, in percent; 100 where `tool` is one; 0 where next to nothing points to one', atLeast('minScannerPercent')),
  scannerReason: field(tail(26), text(SCANNER_REASON_CHARS_MAX), LABEL, '', 'what made `scannerPercent`, the weightiest first, for example `more pages than people read, mostly what is not there`; empty where it is 0', exact('scannerReason')),
}

export type TrafficFieldName = keyof typeof TRAFFIC_FIELDS

/** Names of the fields of a hit. */
export const HIT_FIELD_NAMES: readonly (keyof typeof HIT_FIELDS)[] = keysOf(HIT_FIELDS)

/** Fields of a hit that gateways of before them leave out, with what they are then. */
export const LATER_HIT_FIELDS = Object.fromEntries(
  HIT_FIELD_NAMES.flatMap((name) => {
    const { whenAbsent } = HIT_FIELDS[name]
    return whenAbsent === undefined ? [] : [[name, whenAbsent]]
  }),
) as Readonly<Partial<Record<keyof typeof HIT_FIELDS, string | number>>>

/** Names of the fields of an event, in the order of the table. */
export const TRAFFIC_FIELD_NAMES: readonly TrafficFieldName[] = keysOf(TRAFFIC_FIELDS)

const namesIn = (half: 'sender' | 'head' | 'tail'): TrafficFieldName[] =>
  TRAFFIC_FIELD_NAMES.filter((name) => TRAFFIC_FIELDS[name].part.half === half)

/** Names of the fields of a sender. */
export const trafficSenderFields: readonly TrafficFieldName[] = namesIn('sender')

/** Names of the fields of a request. */
export const trafficRequestFields: readonly TrafficFieldName[] = TRAFFIC_FIELD_NAMES.filter(
  (name) => TRAFFIC_FIELDS[name].part.half !== 'sender',
)

/** The place of a field in a request's line; 0 for a field of the sender. */
export const placeOf = (name: TrafficFieldName): number => {
  const { part } = TRAFFIC_FIELDS[name]
  return part.half === 'sender' ? 0 : part.place
}

/** The fields of a request's line, in the order of their places. */
const inLine = (half: 'head' | 'tail'): readonly TrafficFieldName[] =>
  namesIn(half).toSorted((left, right) => placeOf(left) - placeOf(right))
export const LINE_HEAD_FIELDS = inLine('head')
export const LINE_TAIL_FIELDS = inLine('tail')

/** The fields as tables of events have them, the store's and exports: the time first. */
export const TABLE_FIELDS: readonly TrafficFieldName[] = [
  'time',
  ...TRAFFIC_FIELD_NAMES.filter((name) => name !== 'time'),
]

type FilterIn<Fields> = {
  [Name in keyof Fields]: Fields[Name] extends { filter: FieldFilter<infer Filter> } ? Filter : never
}[keyof Fields]
export type FilterName = FilterIn<typeof TRAFFIC_FIELDS> | FilterIn<typeof HIT_FIELDS>

/** A filter of the request log, with the field that it compares, or the field of the objects in a list. */
export interface RequestFilter {
  readonly field: TrafficFieldName
  readonly item: keyof typeof HIT_FIELDS | undefined
  readonly filter: FieldFilter<FilterName>
}

/** The filters of the request log, in the order of the table. */
export const REQUEST_FILTERS: readonly RequestFilter[] = [
  ...TRAFFIC_FIELD_NAMES.flatMap((field) => {
    const { filter } = TRAFFIC_FIELDS[field]
    return filter ? [{ field, item: undefined, filter }] : []
  }),
  // Hits are the only list of objects.
  ...HIT_FIELD_NAMES.flatMap((item) => {
    const { filter } = HIT_FIELDS[item]
    return filter ? [{ field: 'hits' as const, item, filter }] : []
  }),
]
