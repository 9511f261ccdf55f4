/**
 * Filters of the traffic record: which fields of an event a caller can filter by, and what each filter means, both as
 * SQL (for what is stored) and as a test of an event (for the live tail).
 *
 * A filter is a list of values, as `filter-values.ts` of the contract writes them: some exclude, of the others any may
 * match. Values only ever become parameters of a query, never its text.
 */
import { readFilterValue, type TrafficEvent } from '@sallyport/contract'

/** How values are compared. `status` takes `404` and `4xx`; `atLeast` a number. Case counts except in `contains`. */
type Match = 'exact' | 'prefix' | 'contains' | 'status' | 'atLeast'

interface Field {
  readonly match: Match
  /** Column of `requests`, an array column where an event can have several values. */
  readonly column: string
  readonly valuesOf: (event: TrafficEvent) => readonly (string | number)[]
  readonly isArray?: true
}

const one =
  (read: (event: TrafficEvent) => string | number) =>
  (event: TrafficEvent): readonly (string | number)[] => [read(event)]

const FIELDS = {
  site: { match: 'exact', column: 'site_id', valuesOf: one((event) => event.siteId) },
  hacker: { match: 'exact', column: 'researcher_id', valuesOf: one((event) => event.researcherId) },
  id: { match: 'exact', column: 'toString(id)', valuesOf: one((event) => event.id) },
  kind: { match: 'exact', column: 'toString(kind)', valuesOf: one((event) => event.kind) },
  gateway: { match: 'exact', column: 'gateway_id', valuesOf: one((event) => event.gatewayId) },
  credential: { match: 'exact', column: 'credential_id', valuesOf: one((event) => event.credentialId) },
  credentialKind: {
    match: 'exact',
    column: 'toString(credential)',
    valuesOf: one((event) => event.credential),
  },
  address: { match: 'exact', column: 'client_address', valuesOf: one((event) => event.clientAddress) },
  httpVersion: { match: 'exact', column: 'http_version', valuesOf: one((event) => event.httpVersion) },
  tls: { match: 'exact', column: 'tls', valuesOf: one((event) => event.tls) },
  method: { match: 'exact', column: 'method', valuesOf: one((event) => event.method) },
  scheme: { match: 'exact', column: 'scheme', valuesOf: one((event) => event.scheme) },
  host: { match: 'exact', column: 'host', valuesOf: one((event) => event.host) },
  target: { match: 'prefix', column: 'target', valuesOf: one((event) => event.target) },
  path: { match: 'prefix', column: 'path', valuesOf: one((event) => event.path) },
  route: { match: 'exact', column: 'route', valuesOf: one((event) => event.route) },
  queryName: { match: 'exact', column: 'query_names', isArray: true, valuesOf: (event) => event.queryNames },
  status: { match: 'status', column: 'status', valuesOf: one((event) => event.status) },
  outcome: { match: 'exact', column: 'toString(outcome)', valuesOf: one((event) => event.outcome) },
  reason: { match: 'exact', column: 'reason', valuesOf: one((event) => event.reason) },
  rule: { match: 'exact', column: 'rule', valuesOf: one((event) => event.rule) },
  reading: { match: 'exact', column: 'reading', valuesOf: one((event) => event.reading) },
  userAgent: { match: 'contains', column: 'user_agent', valuesOf: one((event) => event.userAgent) },
  tool: { match: 'exact', column: 'tool', valuesOf: one((event) => event.tool) },
  inspection: { match: 'exact', column: 'toString(inspection)', valuesOf: one((event) => event.inspection) },
  firewallRule: {
    match: 'exact',
    column: 'hit_rules',
    isArray: true,
    valuesOf: (event) => event.hits.map((hit) => hit.rule),
  },
  firewallClass: {
    match: 'exact',
    column: 'hit_classes',
    isArray: true,
    valuesOf: (event) => event.hits.map((hit) => hit.class),
  },
  severity: {
    match: 'exact',
    column: "CAST(hit_severities, 'Array(String)')",
    isArray: true,
    valuesOf: (event) => event.hits.map((hit) => hit.severity),
  },
  parameter: {
    match: 'exact',
    column: 'hit_parameters',
    isArray: true,
    valuesOf: (event) => event.hits.map((hit) => hit.parameter),
  },
  minDurationUs: { match: 'atLeast', column: 'duration_us', valuesOf: one((event) => event.durationUs) },
  minRequestBytes: {
    match: 'atLeast',
    column: 'request_bytes',
    valuesOf: one((event) => event.requestBytes),
  },
  minResponseBytes: {
    match: 'atLeast',
    column: 'response_bytes',
    valuesOf: one((event) => event.responseBytes),
  },
} as const satisfies Record<string, Field>

export type FilterField = keyof typeof FIELDS
export const FILTER_FIELDS = Object.keys(FIELDS) as readonly FilterField[]

/** Values by field. `search` keeps events whose target or user agent holds the words, whatever their case. */
export type TrafficFilter = { readonly [F in FilterField]?: readonly string[] | undefined } & {
  readonly search?: string | undefined
}

/** The fields that a filter uses. */
export const fieldsOf = (filter: TrafficFilter): readonly (FilterField | 'search')[] => [
  ...FILTER_FIELDS.filter((field) => (filter[field]?.length ?? 0) > 0),
  ...(filter.search ? (['search'] as const) : []),
]

/** Hands out the placeholder of a value, as the query's text refers to it. */
export type Bind = (type: string, value: unknown) => string

/** The conditions of a filter, to be joined by AND. */
export function filterConditions(filter: TrafficFilter, bind: Bind): string[] {
  const conditions: string[] = []
  for (const name of FILTER_FIELDS) {
    const { included, excluded } = split(filter[name] ?? [])
    if (included.length > 0) conditions.push(condition(FIELDS[name], included, bind))
    if (excluded.length > 0) conditions.push(`NOT (${condition(FIELDS[name], excluded, bind)})`)
  }
  if (filter.search) {
    const words = bind('String', filter.search)
    conditions.push(
      `(positionCaseInsensitiveUTF8(target, ${words}) > 0 OR positionCaseInsensitiveUTF8(user_agent, ${words}) > 0)`,
    )
  }
  return conditions
}

/** Whether an event passes a filter, exactly as the conditions above decide it. */
export function passes(event: TrafficEvent, filter: TrafficFilter): boolean {
  for (const name of FILTER_FIELDS) {
    const values = filter[name]
    if (!values || values.length === 0) continue
    const field: Field = FIELDS[name]
    const { included, excluded } = split(values)
    const found = (wanted: readonly string[]): boolean =>
      field.valuesOf(event).some((value) => wanted.some((text) => compare(field.match, value, text)))
    if (included.length > 0 && !found(included)) return false
    if (excluded.length > 0 && found(excluded)) return false
  }
  return !filter.search || holds(event.target, filter.search) || holds(event.userAgent, filter.search)
}

function split(values: readonly string[]): { included: string[]; excluded: string[] } {
  const included: string[] = []
  const excluded: string[] = []
  for (const written of values) {
    const { value, excludes } = readFilterValue(written)
    const list = excludes ? excluded : included
    list.push(value)
  }
  return { included, excluded }
}

const holds = (text: string, part: string): boolean => text.toLowerCase().includes(part.toLowerCase())

const STATUS_CLASS = /^([0-9])xx$/
const DIGITS = /^\d{1,15}$/

function compare(match: Match, value: string | number, wanted: string): boolean {
  if (match === 'status') {
    const statusClass = STATUS_CLASS.exec(wanted)?.[1]
    return statusClass ? Math.floor(Number(value) / 100) === Number(statusClass) : String(value) === wanted
  }
  if (match === 'atLeast') return DIGITS.test(wanted) && Number(value) >= Number(wanted)
  if (match === 'prefix') return String(value).startsWith(wanted)
  if (match === 'contains') return holds(String(value), wanted)
  return value === wanted
}

function condition(field: Field, values: readonly string[], bind: Bind): string {
  const { column, match } = field
  if (match === 'status') return statusCondition(values, bind)
  if (match === 'atLeast') {
    const least = Math.min(...values.filter((value) => DIGITS.test(value)).map(Number))
    return Number.isFinite(least) ? `${column} >= ${bind('UInt64', least)}` : '0'
  }
  if (match === 'exact') {
    const list = bind('Array(String)', values)
    return field.isArray ? `hasAny(${column}, ${list})` : `${column} IN ${list}`
  }
  const test = (value: string): string =>
    match === 'prefix'
      ? `startsWith(${column}, ${bind('String', value)})`
      : `positionCaseInsensitiveUTF8(${column}, ${bind('String', value)}) > 0`
  return `(${values.map(test).join(' OR ')})`
}

function statusCondition(values: readonly string[], bind: Bind): string {
  const classes = values.flatMap((value) => STATUS_CLASS.exec(value)?.[1] ?? []).map(Number)
  const statuses = values.filter((value) => DIGITS.test(value) && String(Number(value)) === value).map(Number)
  const known = statuses.filter((status) => status < 1_000)
  return `(has(${bind('Array(UInt16)', classes)}, intDiv(status, 100)) OR has(${bind('Array(UInt16)', known)}, status))`
}
