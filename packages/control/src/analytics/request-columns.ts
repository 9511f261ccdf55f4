/**
 * How a `TrafficEvent` lies in the `requests` table: one entry a column, used to write rows and to read them back, so
 * that the two cannot disagree.
 */
import type { FirewallHit, TrafficEvent, TrafficRequest, TrafficSender } from '@sallyport/contract'

/** A value as `JSONCompactEachRow` takes it. */
type Cell = string | number | boolean | readonly (string | boolean)[]

/** Columns of the table that say who sent a request, the same in many rows. */
const SENDER_COLUMNS: Readonly<Record<string, (sender: TrafficSender) => Cell>> = {
  org_id: (sender) => sender.orgId,
  site_id: (sender) => sender.siteId,
  gateway_id: (sender) => sender.gatewayId,
  researcher_id: (sender) => sender.researcherId,
  credential: (sender) => sender.credential,
  credential_id: (sender) => sender.credentialId,
  client_address: (sender) => sender.clientAddress,
  http_version: (sender) => sender.httpVersion,
  tls: (sender) => sender.tls,
  scheme: (sender) => sender.scheme,
  host: (sender) => sender.host,
  user_agent: (sender) => sender.userAgent,
  tool: (sender) => sender.tool,
}

/** The other columns, and what of a request goes into each. */
const REQUEST_COLUMNS: Readonly<Record<string, (request: TrafficRequest) => Cell>> = {
  // An unquoted number is taken as ticks of the column's own scale, milliseconds.
  time: (request) => request.time,
  id: (request) => request.id,
  kind: (request) => request.kind,
  method: (request) => request.method,
  target: (request) => request.target,
  path: (request) => request.path,
  route: (request) => request.route,
  query_names: (request) => request.queryNames,
  status: (request) => request.status,
  outcome: (request) => request.outcome,
  reason: (request) => request.reason,
  rule: (request) => request.rule,
  reading: (request) => request.reading,
  request_bytes: (request) => request.requestBytes,
  response_bytes: (request) => request.responseBytes,
  duration_us: (request) => request.durationUs,
  first_byte_us: (request) => request.firstByteUs,
  inspection: (request) => request.inspection,
  hit_rules: (request) => request.hits.map((hit) => hit.rule),
  hit_classes: (request) => request.hits.map((hit) => hit.class),
  hit_severities: (request) => request.hits.map((hit) => hit.severity),
  hit_parts: (request) => request.hits.map((hit) => hit.part),
  hit_parameters: (request) => request.hits.map((hit) => hit.parameter),
  hit_excerpts: (request) => request.hits.map((hit) => hit.excerpt),
  hit_excluded: (request) => request.hits.map((hit) => hit.excluded),
  messages_in: (request) => request.messagesIn,
  messages_out: (request) => request.messagesOut,
}

const COLUMNS: readonly string[] = [...Object.keys(SENDER_COLUMNS), ...Object.keys(REQUEST_COLUMNS)]
const SENDER_CELLS = Object.values(SENDER_COLUMNS)
const REQUEST_CELLS = Object.values(REQUEST_COLUMNS)

/** Columns that an insert names, the retention last. */
export const INSERT_COLUMNS: readonly string[] = [...COLUMNS, 'retention_days']

/** One line of `JSONCompactEachRow` for a request and who sent it. */
export function rowOf(sender: TrafficSender, request: TrafficRequest, retentionDays: number): string {
  const cells: Cell[] = SENDER_CELLS.map((cell) => cell(sender))
  for (const cell of REQUEST_CELLS) cells.push(cell(request))
  cells.push(retentionDays)
  const row = JSON.stringify(cells)
  return row.includes(SURROGATE_ESCAPE) ? JSON.stringify(cells.map(wellFormed)) : row
}

/**
 * `JSON.stringify` escapes half of a surrogate pair, and nothing else, this way. The store refuses such halves, so
 * they become U+FFFD.
 */
const SURROGATE_ESCAPE = '\\ud'

function wellFormed(cell: Cell): Cell {
  if (typeof cell === 'string') return cell.toWellFormed()
  if (typeof cell !== 'object') return cell
  return cell.map((item) => (typeof item === 'string' ? item.toWellFormed() : item))
}

/** A row as `SELECT ${READ_COLUMNS}` returns it: the event itself but for its hits, which come as parallel lists. */
export type RequestRow = Omit<TrafficEvent, 'hits' | 'time'> & {
  readonly timeMs: number
  readonly hitRules: readonly string[]
  readonly hitClasses: readonly string[]
  readonly hitSeverities: readonly FirewallHit['severity'][]
  readonly hitParts: readonly string[]
  readonly hitParameters: readonly string[]
  readonly hitExcerpts: readonly string[]
  readonly hitExcluded: readonly boolean[]
}

/** What to select so that a row can be turned back into an event. */
export const READ_COLUMNS = COLUMNS.map((column) =>
  column === 'time'
    ? 'toUnixTimestamp64Milli(requests.time) AS timeMs'
    : `requests.${column} AS ${camelCase(column)}`,
).join(', ')

/** The event that a row holds. */
export function eventOf({ timeMs, ...row }: RequestRow): TrafficEvent {
  const { hitRules, hitClasses, hitSeverities, hitParts, hitParameters, hitExcerpts, hitExcluded, ...rest } =
    row
  const hits = hitRules.map((rule, index) => ({
    rule,
    class: hitClasses[index] ?? '',
    severity: hitSeverities[index] ?? 'low',
    part: hitParts[index] ?? '',
    parameter: hitParameters[index] ?? '',
    excerpt: hitExcerpts[index] ?? '',
    excluded: hitExcluded[index] ?? false,
  }))
  return { ...rest, time: timeMs, hits }
}

function camelCase(column: string): string {
  return column.replace(/_([a-z])/g, (_match, letter: string) => letter.toUpperCase())
}
