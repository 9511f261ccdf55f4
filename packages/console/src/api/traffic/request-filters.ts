/** Which recorded requests a view shows: those of a window of time that pass its filters. */
import { FACETS, type Facet, type TrafficEvent } from '@sallyport/contract'
import type { Input } from '../api.tsx'

export interface TimeWindow {
  /** Start of the window, date math or ISO 8601; `DEFAULT_GTE` unless given. */
  readonly gte?: string | undefined
  readonly lte?: string | undefined
}

/** Fields that a view can be filtered by. */
export type FilterFieldName = Facet | 'path' | 'severity' | 'minScorePercent' | 'minScannerPercent'
export const FILTER_FIELDS: readonly FilterFieldName[] = [
  ...FACETS,
  'path',
  'severity',
  'minScorePercent',
  'minScannerPercent',
]

/** A window, and filters by field, each value written as the contract's `filter-values.ts` has it. */
export type RequestFilters = TimeWindow & {
  readonly [Field in FilterFieldName]?: readonly string[] | undefined
} & { readonly search?: string | undefined }

export const DEFAULT_GTE = 'now-24h'

/** The filters with the types of the API, whose lists are mutable. */
export const apiFilters = (filters: RequestFilters) =>
  ({ gte: DEFAULT_GTE, ...filters }) as Omit<NonNullable<Input<'analyticsListRequests'>['query']>, 'include'>

/** A request of the log: the event as the gateway wrote it, with its time in ISO 8601. */
export type LoggedRequest = Omit<TrafficEvent, 'time'> & { readonly time: string }

/** Events of an answer as what they are; the contract leaves their fields to the table of the record. */
export const loggedRequests = (events: readonly unknown[]) => events as readonly LoggedRequest[]
