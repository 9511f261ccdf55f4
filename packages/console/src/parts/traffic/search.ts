/** What the address bar holds: the time window, the filters of the request log, and what is open. */
import { queryString } from '@sallyport/client'
import { FACETS, type Facet, SCANNER_PERCENT_MIN } from '@sallyport/contract'
import {
  DEFAULT_GTE,
  FILTER_FIELDS,
  type RequestFilters,
  type TimeWindow,
} from '../../api/traffic/request-filters.ts'

export interface TrafficSearch extends RequestFilters {
  /** Follows the log instead of reading a window. */
  readonly live?: boolean | undefined
  /** The field by whose values the requests are counted, instead of being listed. */
  readonly group?: Facet | undefined
  /** The request that is shown in full. */
  readonly request?: string | undefined
}

/** What a scanner sent by what it does, and names no tool. */
export const UNNAMED_SCANNERS = { tool: [''], minScannerPercent: [String(SCANNER_PERCENT_MIN)] }

/** What is replaced of a search, or how that follows from the search as it is by then. */
export type SearchChange = Partial<TrafficSearch> | ((now: TrafficSearch) => Partial<TrafficSearch>)

/** Props of a part of a page that shows the search in the address, and changes it. */
export interface SearchProps {
  readonly search: TrafficSearch
  readonly onChange: (change: SearchChange) => void
}

export const isFacet = (text: string | undefined): text is Facet =>
  (FACETS as readonly (string | undefined)[]).includes(text)

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

export function readWindow(raw: RawSearch): TimeWindow {
  return defined({ gte: single(raw.gte), lte: single(raw.lte) })
}

export function readTrafficSearch(raw: RawSearch): TrafficSearch {
  const filters = Object.fromEntries(FILTER_FIELDS.map((field) => [field, several(raw[field])]))
  const read = defined({
    ...readWindow(raw),
    ...filters,
    search: single(raw.search),
    live: single(raw.live) === 'true' || raw.live === true ? true : undefined,
    group: [single(raw.group)].find(isFacet),
    request: single(raw.request),
  })
  // The router lays this over the address as it was written: a group that there is not has to be taken off.
  return 'group' in raw && read.group === undefined ? { ...read, group: undefined } : read
}

/** The part of a search that the API takes as filters. */
export function filtersOf(search: TrafficSearch): RequestFilters {
  const { live: _live, group: _group, request: _request, ...filters } = search
  return { gte: DEFAULT_GTE, ...filters }
}

/** The search with a part replaced; what became empty is left out of the address. */
export function changedSearch(search: TrafficSearch, part: Partial<TrafficSearch>): TrafficSearch {
  const merged = Object.entries({ ...search, ...part })
  return Object.fromEntries(
    merged.filter(([, value]) => value !== undefined && !(Array.isArray(value) && value.length === 0)),
  )
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
