/** Filters as values: including, excluding, and taking them off again. */
import { type FilterValue, readFilterValue, writeFilterValue } from '@sallyport/contract'
import { FILTER_FIELDS, type FilterField, type TrafficSearch } from './search.ts'

/** The search with a part replaced; what became empty is left out of the address. */
export function changed(search: TrafficSearch, part: Partial<TrafficSearch>): TrafficSearch {
  const merged = Object.entries({ ...search, ...part })
  return Object.fromEntries(
    merged.filter(([, value]) => value !== undefined && !(Array.isArray(value) && value.length === 0)),
  )
}

/** Adds a value to a field, as included or excluded; the opposite of it goes. */
export function withValue(
  search: TrafficSearch,
  field: FilterField,
  value: string,
  excludes: boolean,
): Partial<TrafficSearch> {
  const others = (search[field] ?? []).filter((one) => readFilterValue(one).value !== value)
  return { [field]: [...others, writeFilterValue({ value, excludes })] }
}

export function withoutValue(
  search: TrafficSearch,
  field: FilterField,
  written: string,
): Partial<TrafficSearch> {
  return { [field]: (search[field] ?? []).filter((one) => one !== written) }
}

interface Chip extends FilterValue {
  readonly field: FilterField
  /** As it stands in the search. */
  readonly written: string
}

/** Every filter in force, one by one. */
export function chipsOf(search: TrafficSearch): readonly Chip[] {
  return FILTER_FIELDS.flatMap((field) =>
    (search[field] ?? []).map((written) => ({ field, written, ...readFilterValue(written) })),
  )
}
