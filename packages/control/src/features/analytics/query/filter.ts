/**
 * Filters of the traffic record: which fields of an event a caller can filter by, and what each filter means, both as
 * SQL (for what is stored) and as a test of an event (for the live tail).
 *
 * A filter is a list of values, as `filter-values.ts` of the contract writes them: some exclude, of the others any may
 * match. Values only ever become parameters of a query, never its text.
 */
import {
  compile,
  type FilterMatch,
  type FilterName,
  REQUEST_FILTERS,
  type RequestFilter,
  readFilterValue,
  type TrafficEvent,
} from '@sallyport/contract'
import { tableColumn } from '../../../traffic-store/request-columns.ts'

interface Field {
  readonly match: FilterMatch
  /** Column of `requests`, an array column where an event can have several values. */
  readonly column: string
  readonly isArray: boolean
  readonly valuesOf: (event: TrafficEvent) => readonly (string | number)[]
}

function fieldOf({ field, item, filter }: RequestFilter): Field {
  const { name, column, isList } = tableColumn(field, item)
  // Words and ids are compared as texts.
  const isText = typeof column === 'string' && column !== 'UUID'
  const asText = isList ? `CAST(${name}, 'Array(String)')` : `toString(${name})`
  const values = isList ? `event.${field}` : `[event.${field}]`
  return {
    match: filter.match,
    column: isText ? name : asText,
    isArray: isList,
    valuesOf: compile('event', item ? `${values}.map((item) => item.${item})` : values),
  }
}

// One for each filter of the table.
const FIELDS = Object.fromEntries(
  REQUEST_FILTERS.map((entry) => [entry.filter.name, fieldOf(entry)]),
) as Readonly<Record<FilterName, Field>>

export const FILTER_NAMES: readonly FilterName[] = REQUEST_FILTERS.map(({ filter }) => filter.name)

/** An expression of the values that a filter compares; where an event can have several, of each different one in turn. */
export function filteredColumn(name: FilterName): string {
  const { column, isArray } = FIELDS[name]
  return isArray ? `arrayJoin(arrayDistinct(${column}))` : column
}

/** Values by field. `search` keeps events whose target or user agent holds the words, whatever their case. */
export type TrafficFilter = { readonly [Name in FilterName]?: readonly string[] | undefined } & {
  readonly search?: string | undefined
}

/** The fields that a filter uses. */
export const fieldsOf = (filter: TrafficFilter): readonly (FilterName | 'search')[] => [
  ...FILTER_NAMES.filter((field) => (filter[field]?.length ?? 0) > 0),
  ...(filter.search ? (['search'] as const) : []),
]

/** Hands out the placeholder of a value, as the query's text refers to it. */
export type Bind = (type: string, value: unknown) => string

/** The conditions of a filter, to be joined by AND. */
export function filterConditions(filter: TrafficFilter, bind: Bind): string[] {
  const conditions: string[] = []
  for (const name of FILTER_NAMES) {
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
  for (const name of FILTER_NAMES) {
    const values = filter[name]
    if (!values || values.length === 0) continue
    const field = FIELDS[name]
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

const holds = (text: string, part: string): boolean => lower(text).includes(lower(part))

/** Letter by letter, as the store does: JavaScript makes two letters of `İ`, and of `Σ` what its neighbours say. */
const lower = (text: string): string =>
  text.replace(/[^İΣ]+/g, (letters) => letters.toLowerCase()).replaceAll('Σ', 'σ')

const STATUS_CLASS = /^([0-9])xx$/
const DIGITS = /^\d{1,15}$/

function compare(match: FilterMatch, value: string | number, wanted: string): boolean {
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
    if (!Number.isFinite(least)) return '0'
    const wanted = bind('UInt64', least)
    return field.isArray ? `arrayExists(value -> value >= ${wanted}, ${column})` : `${column} >= ${wanted}`
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
