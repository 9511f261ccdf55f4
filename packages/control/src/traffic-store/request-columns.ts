/**
 * How a `TrafficEvent` lies in the `requests` table: one entry a column, used to write rows and to read them back, so
 * that the two cannot disagree. A column of the table is named as here, in snake case.
 *
 * Rows are added field by field rather than in a loop over a list: it is done for every request that goes through any
 * gateway, and takes half of the time where each line has one kind of column.
 */
import {
  CREDENTIALS,
  EVENT_KINDS,
  type FirewallHit,
  INSPECTIONS,
  OUTCOMES,
  SEVERITIES,
  type TrafficEvent,
  type TrafficRequest,
  type TrafficSender,
} from '@sallyport/contract'
import {
  flagColumn,
  LabelColumn,
  ListColumn,
  longColumn,
  type NativeColumn,
  numberColumn,
  TextColumn,
  UuidColumn,
  wordColumn,
} from './native-columns.ts'

/** Columns that say who sent a request, the same in many rows. */
export class SenderColumns {
  readonly orgId = new LabelColumn()
  readonly siteId = new LabelColumn()
  readonly gatewayId = new LabelColumn()
  readonly researcherId = new LabelColumn()
  readonly credential = wordColumn(CREDENTIALS, 0)
  readonly credentialId = new LabelColumn()
  readonly clientAddress = new LabelColumn()
  readonly httpVersion = new LabelColumn()
  readonly tls = new LabelColumn()
  readonly scheme = new LabelColumn()
  readonly host = new LabelColumn()
  readonly userAgent = new LabelColumn()
  readonly tool = new LabelColumn()

  add(sender: TrafficSender): void {
    this.orgId.add(sender.orgId)
    this.siteId.add(sender.siteId)
    this.gatewayId.add(sender.gatewayId)
    this.researcherId.add(sender.researcherId)
    this.credential.add(sender.credential)
    this.credentialId.add(sender.credentialId)
    this.clientAddress.add(sender.clientAddress)
    this.httpVersion.add(sender.httpVersion)
    this.tls.add(sender.tls)
    this.scheme.add(sender.scheme)
    this.host.add(sender.host)
    this.userAgent.add(sender.userAgent)
    this.tool.add(sender.tool)
  }
}

/** The other columns: what was asked, and what became of it. */
export class RequestColumns {
  readonly time = longColumn("DateTime64(3, 'UTC')")
  readonly id = new UuidColumn()
  readonly kind = wordColumn(EVENT_KINDS, 1)
  readonly method = new LabelColumn()
  readonly target = new TextColumn()
  readonly path = new TextColumn()
  readonly route = new LabelColumn()
  readonly queryNames = new ListColumn(new LabelColumn(), (name: string) => name)
  readonly status = numberColumn('UInt16')
  readonly outcome = wordColumn(OUTCOMES, 1)
  readonly reason = new LabelColumn()
  readonly rule = new LabelColumn()
  readonly reading = new LabelColumn()
  readonly requestBytes = longColumn('UInt64')
  readonly responseBytes = longColumn('UInt64')
  readonly durationUs = longColumn('UInt64')
  readonly firstByteUs = longColumn('UInt64')
  readonly inspection = wordColumn(INSPECTIONS, 0)
  readonly hitRules = new ListColumn(new LabelColumn(), (hit: FirewallHit) => hit.rule)
  readonly hitClasses = new ListColumn(new LabelColumn(), (hit: FirewallHit) => hit.class)
  readonly hitSeverities = new ListColumn(wordColumn(SEVERITIES, 1), (hit: FirewallHit) => hit.severity)
  readonly hitParts = new ListColumn(new LabelColumn(), (hit: FirewallHit) => hit.part)
  readonly hitParameters = new ListColumn(new TextColumn(), (hit: FirewallHit) => hit.parameter)
  readonly hitExcerpts = new ListColumn(new TextColumn(), (hit: FirewallHit) => hit.excerpt)
  readonly hitExcluded = new ListColumn(flagColumn(), (hit: FirewallHit) => hit.excluded)
  readonly messagesIn = numberColumn('UInt32')
  readonly messagesOut = numberColumn('UInt32')
  readonly requestCount = longColumn('UInt64')

  add(request: TrafficRequest): void {
    this.time.add(request.time)
    this.id.add(request.id)
    this.kind.add(request.kind)
    this.method.add(request.method)
    this.target.add(request.target)
    this.path.add(request.path)
    this.route.add(request.route)
    this.queryNames.add(request.queryNames)
    this.status.add(request.status)
    this.outcome.add(request.outcome)
    this.reason.add(request.reason)
    this.rule.add(request.rule)
    this.reading.add(request.reading)
    this.requestBytes.add(request.requestBytes)
    this.responseBytes.add(request.responseBytes)
    this.durationUs.add(request.durationUs)
    this.firstByteUs.add(request.firstByteUs)
    this.inspection.add(request.inspection)
    this.hitRules.add(request.hits)
    this.hitClasses.add(request.hits)
    this.hitSeverities.add(request.hits)
    this.hitParts.add(request.hits)
    this.hitParameters.add(request.hits)
    this.hitExcerpts.add(request.hits)
    this.hitExcluded.add(request.hits)
    this.messagesIn.add(request.messagesIn)
    this.messagesOut.add(request.messagesOut)
    this.requestCount.add(request.requestCount)
  }

  /** What was added as the row with this number. */
  at(row: number): RequestPart {
    const fields = columnsOf(this).map(([field, column]) => [
      field === 'time' ? 'timeMs' : field,
      column.at(row),
    ])
    // What `add` took from a sound request, field by field.
    return Object.fromEntries(fields) as RequestPart
  }
}

/** The columns of either kind, by the names of their fields. */
export const columnsOf = (
  columns: SenderColumns | RequestColumns,
): [field: string, column: NativeColumn<never, unknown>][] => Object.entries(columns)

const FIELDS: readonly string[] = [new SenderColumns(), new RequestColumns()]
  .flatMap(columnsOf)
  .map(([field]) => field)

/** The name of a field's column in the table. */
export const columnName = (field: string): string =>
  field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

/** Columns that an insert names, the retention last. */
export const INSERT_COLUMNS: readonly string[] = [...FIELDS.map(columnName), 'retention_days']

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

/** The part of a row that does not say who sent the request. */
type RequestPart = Omit<RequestRow, keyof TrafficSender>

/** What to select so that a row can be turned back into an event. */
export const READ_COLUMNS = FIELDS.map((field) =>
  field === 'time'
    ? 'toUnixTimestamp64Milli(requests.time) AS timeMs'
    : `requests.${columnName(field)} AS ${field}`,
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
