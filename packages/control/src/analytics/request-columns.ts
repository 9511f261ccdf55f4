/**
 * How a `TrafficEvent` lies in the `requests` table: one entry a column, used to write rows and to read them back, so
 * that the two cannot disagree.
 */
import type { FirewallHit, TrafficEvent } from '@sallyport/contract'

/** A value as `JSONCompactEachRow` takes it. */
type Cell = string | number | boolean | readonly (string | boolean)[]

/** Columns of the table and what of an event goes into each. */
const COLUMNS: Readonly<Record<string, (event: TrafficEvent) => Cell>> = {
  org_id: (event) => event.orgId,
  site_id: (event) => event.siteId,
  // An unquoted number is taken as ticks of the column's own scale, milliseconds.
  time: (event) => event.time,
  id: (event) => event.id,
  kind: (event) => event.kind,
  gateway_id: (event) => event.gatewayId,
  researcher_id: (event) => event.researcherId,
  credential: (event) => event.credential,
  credential_id: (event) => event.credentialId,
  client_address: (event) => event.clientAddress,
  http_version: (event) => event.httpVersion,
  tls: (event) => event.tls,
  method: (event) => event.method,
  scheme: (event) => event.scheme,
  host: (event) => event.host,
  target: (event) => event.target,
  path: (event) => event.path,
  route: (event) => event.route,
  query_names: (event) => event.queryNames,
  status: (event) => event.status,
  outcome: (event) => event.outcome,
  reason: (event) => event.reason,
  rule: (event) => event.rule,
  reading: (event) => event.reading,
  request_bytes: (event) => event.requestBytes,
  response_bytes: (event) => event.responseBytes,
  duration_us: (event) => event.durationUs,
  first_byte_us: (event) => event.firstByteUs,
  user_agent: (event) => event.userAgent,
  tool: (event) => event.tool,
  inspection: (event) => event.inspection,
  hit_rules: (event) => event.hits.map((hit) => hit.rule),
  hit_classes: (event) => event.hits.map((hit) => hit.class),
  hit_severities: (event) => event.hits.map((hit) => hit.severity),
  hit_parts: (event) => event.hits.map((hit) => hit.part),
  hit_parameters: (event) => event.hits.map((hit) => hit.parameter),
  hit_excerpts: (event) => event.hits.map((hit) => hit.excerpt),
  hit_excluded: (event) => event.hits.map((hit) => hit.excluded),
  messages_in: (event) => event.messagesIn,
  messages_out: (event) => event.messagesOut,
}

const CELLS = Object.values(COLUMNS)

/** Columns that an insert names, the retention last. */
export const INSERT_COLUMNS: readonly string[] = [...Object.keys(COLUMNS), 'retention_days']

/** One line of `JSONCompactEachRow` for an event. */
export function rowOf(event: TrafficEvent, retentionDays: number): string {
  const cells: Cell[] = CELLS.map((cell) => cell(event))
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
export const READ_COLUMNS = Object.keys(COLUMNS)
  .map((column) =>
    column === 'time'
      ? 'toUnixTimestamp64Milli(requests.time) AS timeMs'
      : `requests.${column} AS ${camelCase(column)}`,
  )
  .join(', ')

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
