/** Filters as values: including, excluding and removing them. */
import { type FilterValue, readFilterValue, writeFilterValue } from '@sallyport/contract'
import { FILTER_FIELDS, type FilterFieldName } from '../../api/traffic/request-filters.ts'
import type { TrafficSearch } from '../../parts/traffic/search.ts'

/** Every filter taken off; the window and what is open stay. */
export const NO_FILTERS: Partial<TrafficSearch> = Object.fromEntries(
  [...FILTER_FIELDS, 'search'].map((field) => [field, undefined]),
)

/** Adds a value to a field, as included or excluded; the opposite of it goes. */
export function withValue(
  search: TrafficSearch,
  field: FilterFieldName,
  value: string,
  excludes: boolean,
): Partial<TrafficSearch> {
  const others = (search[field] ?? []).filter((one) => readFilterValue(one).value !== value)
  return { [field]: [...others, writeFilterValue({ value, excludes })] }
}

export function withoutValue(
  search: TrafficSearch,
  field: FilterFieldName,
  written: string,
): Partial<TrafficSearch> {
  return { [field]: (search[field] ?? []).filter((one) => one !== written) }
}

interface Chip extends FilterValue {
  readonly field: FilterFieldName
  /** As the search has it. */
  readonly written: string
}

/** Every filter in force, one by one. */
export function chipsOf(search: TrafficSearch): readonly Chip[] {
  return FILTER_FIELDS.flatMap((field) =>
    (search[field] ?? []).map((written) => ({ field, written, ...readFilterValue(written) })),
  )
}
