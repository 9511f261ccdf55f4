/**
 * The one place that says FROM. Whatever is read of the traffic store for a caller is read through a `Scope`: an
 * organization, a window and a filter. The organization's predicate is therefore in every query by construction, and a
 * test finds any other file that names a table.
 *
 * `source` reads events or rollups, whichever answers exactly and soonest; what it returns stands where a subquery does.
 */
import { type FilterName, SCANNER_PERCENT_MIN } from '@sallyport/contract'
import type { TrafficStore } from '../../../traffic-store/connection.ts'
import { bucketIndex, stepOf } from '../query/buckets.ts'
import { fieldsOf, filterConditions, type TrafficFilter } from '../query/filter.ts'
import { cutIntoSegments, DAY_MS, HOUR_MS, MINUTE_MS, type TimeSegment } from '../query/time-segments.ts'
import {
  ATTEMPTED_CLASSES,
  COUNTING_HITS,
  RESEARCHERS,
  UNINSPECTED_COUNT,
  VERDICT_COUNTS,
  verdictCounts,
} from './coverage/covered-columns.ts'

/**
 * What a caller may see and wants to see. The window is [from, to), milliseconds since the epoch; for counts, `to` may be
 * Infinity.
 */
export interface Scope {
  readonly orgId: string
  readonly from: number
  readonly to: number
  readonly filter: TrafficFilter
}

interface Family {
  /** Rollup tables by grain, finest first. */
  readonly tables: readonly (readonly [grainMs: number, table: string])[]
  /** Filters that the rollups can answer; any other is answered from the requests. */
  readonly fields: readonly FilterName[]
  /** Columns, and how each is made of one request. */
  readonly columns: Readonly<Record<string, string>>
  /** Columns that a rollup does not have, and how each is made of those that it has. */
  readonly derived?: Readonly<Record<string, Readonly<Record<string, string>>>>
  /** A join that the columns need when they are made of requests. */
  readonly join?: string
}

const COUNTS = {
  site_id: 'site_id',
  outcome: 'outcome',
  status_class: 'toUInt8(intDiv(status, 100))',
  requests: "if(kind = 'websocket_close', 0, request_count)",
  hits: 'toUInt64(countEqual(hit_excluded, false))',
  request_bytes: 'request_bytes',
  response_bytes: 'response_bytes',
  last_seen: 'time',
}

const COVERED = {
  level: "CAST(covered.1, 'Enum8(\\'request\\' = 0, \\'class\\' = 1)')",
  site_id: 'site_id',
  researcher_id: 'researcher_id',
  route: 'route',
  method: 'method',
  class: 'covered.2',
  researchers: RESEARCHERS,
  ...VERDICT_COUNTS,
  uninspected: UNINSPECTED_COUNT,
  first_seen: 'time',
  last_seen: 'time',
}

const ATTEMPTED = {
  site_id: 'site_id',
  class: 'attempt.1',
  route: 'route',
  method: 'method',
  part: 'attempt.2',
  parameter: 'attempt.3',
  first_seen: 'time',
  last_seen: 'time',
}

const ATTEMPTED_JOIN = `ARRAY JOIN if(kind = 'websocket_close', [], arrayDistinct(arrayMap(hit -> (toString(hit_classes[hit]), toString(hit_parts[hit]), hit_parameters[hit]), ${COUNTING_HITS}))) AS attempt`

/** What became of attempts, and who made them, where the rollup has a column for each outcome and sender. */
const ATTEMPTS_HOURS = { ...verdictCounts('attempts'), researchers: RESEARCHERS }

/** Each request has one verdict. */
const VERDICTS_SUMMED = Object.keys(VERDICT_COUNTS).join(' + ')

const COVERED_JOIN = `ARRAY JOIN if(kind = 'websocket_close', [], arrayConcat([(toInt8(0), '')], arrayMap(class -> (toInt8(1), class), ${ATTEMPTED_CLASSES}))) AS covered`

const FAMILIES = {
  traffic: {
    tables: [
      [MINUTE_MS, 'traffic_minutes'],
      [HOUR_MS, 'traffic_hours'],
    ],
    fields: ['site', 'outcome'],
    columns: COUNTS,
  },
  activity: {
    tables: [[HOUR_MS, 'activity_hours']],
    fields: ['site', 'outcome', 'hacker', 'tool'],
    columns: { ...COUNTS, researcher_id: 'researcher_id', tool: 'tool' },
  },
  /** What scanners sent. */
  scanners: {
    tables: [[HOUR_MS, 'scanners_hours']],
    fields: ['site', 'hacker'],
    columns: {
      site_id: 'site_id',
      researcher_id: 'researcher_id',
      requests: `if(kind = 'websocket_close' OR scanner_percent < ${SCANNER_PERCENT_MIN}, 0, request_count)`,
    },
  },
  rules: {
    tables: [
      [MINUTE_MS, 'rules_minutes'],
      [HOUR_MS, 'rules_hours'],
    ],
    fields: ['site', 'hacker'],
    columns: {
      site_id: 'site_id',
      researcher_id: 'researcher_id',
      rule_kind: 'rule_row.1',
      rule_name: 'rule_row.2',
      class: 'rule_row.3',
      severity: 'rule_row.4',
      excluded: 'rule_row.5',
      hits: 'request_count',
      refused: "if(rule_row.1 != 'firewall' OR outcome = 'firewall' AND rule = rule_row.2, request_count, 0)",
      last_seen: 'time',
    },
    join:
      "ARRAY JOIN arrayConcat(arrayMap((r, c, s, e) -> ('firewall', toString(r), toString(c), toString(s), e), hit_rules, hit_classes, hit_severities, hit_excluded), " +
      "if(rule != '' AND outcome IN ('block', 'limit'), [(toString(outcome), toString(rule), '', '', false)], [])) AS rule_row",
  },
  urls: {
    tables: [
      [10 * MINUTE_MS, 'urls_ten_minutes'],
      [3 * HOUR_MS, 'urls_three_hours'],
      [DAY_MS, 'urls_days'],
    ],
    fields: ['site', 'host', 'route', 'outcome'],
    columns: {
      ...COUNTS,
      host: 'host',
      route: 'route',
      researchers: "if(researcher_id = '', [], [cityHash64(toString(researcher_id))])",
      durations:
        "if(kind = 'request', map(toUInt16(round(8 * log2(greatest(duration_us, 1)))), request_count), CAST(map(), 'Map(UInt16, UInt64)'))",
    },
  },
  coverage: {
    tables: [
      [HOUR_MS, 'coverage_hours'],
      [DAY_MS, 'coverage_days'],
    ],
    fields: ['site', 'method', 'route'],
    columns: COVERED,
    derived: { coverage_hours: { researchers: RESEARCHERS } },
    join: COVERED_JOIN,
  },
  /** How much there was, whatever it went to. Its hours are kept for as long as their day, so they are read by whole days. */
  coverageTotals: {
    tables: [
      [HOUR_MS, 'coverage_hours'],
      [DAY_MS, 'coverage_totals_hours'],
    ],
    fields: ['site'],
    columns: { level: COVERED.level, requests: 'request_count' },
    derived: { coverage_hours: { requests: VERDICTS_SUMMED } },
    join: COVERED_JOIN,
  },
  coverageOfResearchers: {
    tables: [[HOUR_MS, 'coverage_hours']],
    fields: ['site', 'hacker', 'method', 'route'],
    columns: COVERED,
    derived: { coverage_hours: { researchers: RESEARCHERS } },
    join: COVERED_JOIN,
  },
  attempts: {
    tables: [[HOUR_MS, 'attempts_hours']],
    fields: ['site', 'hacker', 'method', 'route'],
    columns: {
      ...ATTEMPTED,
      researcher_id: 'researcher_id',
      outcome: 'outcome',
      status: 'status',
      reason: 'reason',
      refusing_rule: 'rule',
      attempts: 'request_count',
    },
    join: ATTEMPTED_JOIN,
  },
  /** Attempts with a column for each verdict, in place of outcome, status and reason. */
  attemptVerdicts: {
    tables: [
      [HOUR_MS, 'attempts_hours'],
      [DAY_MS, 'attempts_days'],
    ],
    fields: ['site', 'method', 'route'],
    columns: { ...ATTEMPTED, ...VERDICT_COUNTS, researchers: RESEARCHERS },
    derived: { attempts_hours: ATTEMPTS_HOURS },
    join: ATTEMPTED_JOIN,
  },
  attemptVerdictsOfResearchers: {
    tables: [[HOUR_MS, 'attempts_hours']],
    fields: ['site', 'hacker', 'method', 'route'],
    columns: { ...ATTEMPTED, ...VERDICT_COUNTS, researchers: RESEARCHERS },
    derived: { attempts_hours: ATTEMPTS_HOURS },
    join: ATTEMPTED_JOIN,
  },
} as const satisfies Record<string, Family>

export type FamilyName = keyof typeof FAMILIES

/** Collects the parameters of a query. Names are numbered, so that parts of queries can be combined. */
export class Parameters {
  readonly values: Record<string, unknown> = {}

  /** Returns the placeholder that stands for the value in the text of the query. */
  readonly bind = (type: string, value: unknown): string => {
    const name = `p${Object.keys(this.values).length}`
    this.values[name] = value
    return `{${name}:${type}}`
  }
}

/** How finely `source` tells instants apart, and which rows it leaves out. */
export interface SourceOptions {
  /** `at` is fine enough to distinguish instants that are multiples of it. */
  readonly stepMs?: number
  /** Over columns that the requests and all rollups of the family have by these names. */
  readonly conditions?: readonly string[]
}

/** A subquery with the wanted columns of a family, and `at`, the second to which a row belongs. */
export function source(
  scope: Scope,
  familyName: FamilyName,
  columns: readonly string[],
  parameters: Parameters,
  { stepMs, conditions = [] }: SourceOptions = {},
): string {
  const family: Family = FAMILIES[familyName]
  const usable = fieldsOf(scope.filter).every((field) => family.fields.some((known) => known === field))
    ? family.tables.filter(([grainMs]) => stepMs === undefined || stepMs % grainMs === 0)
    : []
  const segments = cutIntoSegments(
    scope.from,
    scope.to,
    usable.map(([grainMs]) => grainMs),
  )
  const selects = [[0, 'requests'] as const, ...usable].flatMap(([grainMs, table]) => {
    const parts = segments.filter((segment) => segment.grainMs === grainMs)
    if (parts.length === 0) return []
    const selection = { columns, scope, parts, parameters, conditions }
    return [grainMs === 0 ? selectRequests(family, selection) : selectRollup(family, table, selection)]
  })
  // An empty window still has its columns.
  if (selects.length === 0)
    selects.push(selectRequests(family, { columns, scope, parts: [NO_TIME], parameters, conditions: [] }))
  return `(${selects.join(' UNION ALL ')})`
}

/** What is counted for each bucket of a timeline. */
export interface BucketCounts {
  readonly family: FamilyName
  /** Columns of the family that the query names. */
  readonly columns: readonly string[]
  /** The counts, and by what else than the bucket they are grouped. */
  readonly select: string
  readonly groupBy: string
  readonly where?: string
  /** Most rows. */
  readonly limit?: number
}

/** Counts by bucket. `startsMs` are the starts of the buckets, as `bucketStarts` makes them; a `bucket` is an index of it. */
export async function countByBucket<Row extends object>(
  store: TrafficStore,
  scope: Scope,
  startsMs: readonly number[],
  { family, columns, select, groupBy, where = '', limit }: BucketCounts,
): Promise<(Row & { readonly bucket: number })[]> {
  const step = stepOf(startsMs)
  const parameters = new Parameters()
  const from = source(scope, family, columns, parameters, { stepMs: step * 1000 })
  const rows = await store.query<Row & { readonly step: number }>(
    `SELECT intDiv(at, ${step}) AS step, ${select} FROM ${from} ${where} GROUP BY step, ${groupBy}${limit === undefined ? '' : ` LIMIT ${limit}`}`,
    parameters.values,
  )
  return rows.map((row) => ({ ...row, bucket: bucketIndex(startsMs, row.step * step * 1000) }))
}

/** `requests WHERE …` for a scope, optionally with further conditions: the only way to read single requests. */
export function requestsOf(scope: Scope, parameters: Parameters, conditions: readonly string[] = []): string {
  const all = [...scopeConditions(scope, timesOf([scope], parameters.bind), parameters), ...conditions]
  return `requests WHERE ${all.join(' AND ')}`
}

/**
 * A subquery of single requests with the wanted columns, for counts over any time. A request of a whole day is known by
 * its partition, so that its time, the largest column that such a count would read, stays unread.
 */
export function requestsByDay(
  scope: Scope,
  columns: readonly string[],
  parameters: Parameters,
  conditions: readonly string[],
): string {
  const segments = cutIntoSegments(scope.from, scope.to, [DAY_MS])
  const selects = (segments.length > 0 ? segments : [{ grainMs: 0, from: 0, to: 0 }]).map((part) => {
    const times = part.grainMs === DAY_MS ? daysOf(part, parameters.bind) : timesOf([part], parameters.bind)
    const all = [...scopeConditions(scope, times, parameters), ...conditions]
    return `SELECT ${columns.join(', ')} FROM requests WHERE ${all.join(' AND ')}`
  })
  return `(${selects.join(' UNION ALL ')})`
}

/** What is read of one table of a family. */
interface Selection {
  readonly columns: readonly string[]
  readonly scope: Scope
  readonly parts: readonly TimeSegment[]
  readonly parameters: Parameters
  readonly conditions: readonly string[]
}
const NO_TIME: TimeSegment = { grainMs: 0, from: 0, to: 0 }

const whereOf = ({ scope, parts, parameters, conditions }: Selection): string =>
  [...scopeConditions(scope, timesOf(parts, parameters.bind), parameters), ...conditions].join(' AND ')

function selectRequests(family: Family, selection: Selection): string {
  const made = selection.columns.map((column) => `${family.columns[column]} AS ${column}`).join(', ')
  return `SELECT toUInt32(toUnixTimestamp(time)) AS at, ${made} FROM requests ${family.join ?? ''} WHERE ${whereOf(selection)}`
}

/** Names that a rollup calls otherwise, because `requests` has a column of that name with another meaning. */
const ROLLUP_NAMES: Readonly<Record<string, string>> = {
  rule_kind: 'kind',
  rule_name: 'rule',
  refusing_rule: 'rule',
}

function selectRollup(family: Family, table: string, selection: Selection): string {
  const read = selection.columns
    .map((column) => `${family.derived?.[table]?.[column] ?? ROLLUP_NAMES[column] ?? column} AS ${column}`)
    .join(', ')
  return `SELECT toUnixTimestamp(time) AS at, ${read} FROM ${table} WHERE ${whereOf(selection)}`
}

function scopeConditions(scope: Scope, times: string, parameters: Parameters): string[] {
  const { bind } = parameters
  return [`org_id = ${bind('String', scope.orgId)}`, times, ...filterConditions(scope.filter, bind)]
}

function timesOf(parts: readonly Pick<TimeSegment, 'from' | 'to'>[], bind: Parameters['bind']): string {
  const times = parts.map(({ from, to }) =>
    [`time >= ${instant(from, bind)}`, ...(isEnd(to) ? [`time < ${instant(to, bind)}`] : [])].join(' AND '),
  )
  return times.length === 1 ? (times[0] ?? '') : `(${times.map((time) => `(${time})`).join(' OR ')})`
}

/** Whole days as partitions of `requests`, which are named after them. */
const daysOf = ({ from, to }: TimeSegment, bind: Parameters['bind']): string =>
  [
    `_partition_id >= ${bind('String', dayName(from))}`,
    ...(isEnd(to) ? [`_partition_id < ${bind('String', dayName(to))}`] : []),
  ].join(' AND ')

const isEnd = (to: number): boolean => to !== Number.POSITIVE_INFINITY

const dayName = (instantMs: number): string =>
  new Date(instantMs).toISOString().slice(0, 10).replaceAll('-', '')

const instant = (milliseconds: number, bind: Parameters['bind']): string =>
  `fromUnixTimestamp64Milli(${bind('Int64', milliseconds)}, 'UTC')`
