/** What the address bar holds: the time window, the filters of the request log, and what is open. */
import { queryString } from '@sallyport/client'
import { FACETS, type Facet } from '@sallyport/contract'

/** Fields that a view can be filtered by. */
export type FilterField = Facet | 'path' | 'severity'
/** Filters by field, each value written as the contract's `filter-values.ts` has it. */
export type RequestFilters = { readonly [Field in FilterField]?: readonly string[] | undefined } & {
  readonly search?: string | undefined
}

export interface WindowSearch {
  /** Start of the window, date math or ISO 8601; `now-24h` unless given. */
  readonly gte?: string | undefined
  readonly lte?: string | undefined
}

export interface TrafficSearch extends WindowSearch, RequestFilters {
  /** Follows the log instead of reading a window. */
  readonly live?: boolean | undefined
  /** The request that is shown in full. */
  readonly request?: string | undefined
}

export const DEFAULT_GTE = 'now-24h'
/** What the overview and the traffic page count, and how many values of each field. */
export const OVERVIEW_FACETS = ['hacker', 'firewallRule', 'rule'] as const satisfies readonly Facet[]
export const TRAFFIC_FACET_VALUES = 7
export const FILTER_FIELDS: readonly FilterField[] = [...FACETS, 'path', 'severity']

type RawSearch = Readonly<Record<string, unknown>>

const single = (value: unknown): string | undefined => {
  const first: unknown = Array.isArray(value) ? value[0] : value
  return typeof first === 'string' && first !== '' ? first : undefined
}

/** An empty value stays one: no researcher is a stranger. */
const several = (value: unknown): string[] | undefined => {
  const list = (Array.isArray(value) ? value : [value]).filter((one) => typeof one === 'string')
  return list.length > 0 ? list : undefined
}

export function readWindow(raw: RawSearch): WindowSearch {
  return defined({ gte: single(raw.gte), lte: single(raw.lte) })
}

export function readTrafficSearch(raw: RawSearch): TrafficSearch {
  const filters = Object.fromEntries(FILTER_FIELDS.map((field) => [field, several(raw[field])]))
  return defined({
    ...readWindow(raw),
    ...filters,
    search: single(raw.search),
    live: single(raw.live) === 'true' || raw.live === true ? true : undefined,
    request: single(raw.request),
  })
}

/** The part of a search that the API takes as filters. */
export function filtersOf(search: TrafficSearch): WindowSearch & RequestFilters {
  const { live: _live, request: _request, ...filters } = search
  return { gte: DEFAULT_GTE, ...filters }
}

/** What the facets count by: everything but what only decides how it is shown. */
export function facetBasis(search: TrafficSearch): TrafficSearch {
  const { request: _request, live: _live, ...rest } = search
  return rest
}

/** `?site=a&site=b&search=x`: readable, repeated, and nothing that is not a string. */
export function parseSearch(text: string): Record<string, string | string[]> {
  const parsed: Record<string, string | string[]> = {}
  const query = new URLSearchParams(text)
  for (const name of new Set(query.keys())) {
    const values = query.getAll(name)
    parsed[name] = values.length === 1 ? (values[0] ?? '') : values
  }
  return parsed
}

/** The same way round, by the rule that the API is asked by. */
export function stringifySearch(search: RawSearch): string {
  const text = queryString(search)
  return text ? `?${text}` : ''
}

function defined<T extends object>(value: T): T {
  return Object.fromEntries(Object.entries(value).filter(([, one]) => one !== undefined)) as T
}
