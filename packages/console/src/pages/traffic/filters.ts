/** Filters as values: including, excluding, and taking them off again. */
import { FILTER_FIELDS, type FilterField, type TrafficSearch } from '../../app/search.ts'

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
  exclude: boolean,
): Partial<TrafficSearch> {
  const wanted = exclude ? `!${value}` : value
  const others = (search[field] ?? []).filter((one) => one !== value && one !== `!${value}`)
  return { [field]: [...others, wanted] }
}

export function withoutValue(
  search: TrafficSearch,
  field: FilterField,
  shown: string,
): Partial<TrafficSearch> {
  return { [field]: (search[field] ?? []).filter((one) => one !== shown) }
}

/** Every filter in force, one by one. */
export function chipsOf(
  search: TrafficSearch,
): readonly { readonly field: FilterField; readonly value: string }[] {
  return FILTER_FIELDS.flatMap((field) => (search[field] ?? []).map((value) => ({ field, value })))
}
