/** Who is compared and over which window, as the address has it. */
import { COMPARED_HACKERS_MAX } from '@sallyport/contract'
import type { TimeWindow } from '../../../api/traffic/request-filters.ts'
import { readWindow } from '../../../parts/traffic/search.ts'

export type CompareSearch = TimeWindow & { readonly hacker: readonly string[] }

export function readCompareSearch(raw: Readonly<Record<string, unknown>>): CompareSearch {
  const given = Array.isArray(raw.hacker) ? raw.hacker : [raw.hacker]
  const hackers = given.filter((one) => typeof one === 'string' && one !== '')
  return { ...readWindow(raw), hacker: [...new Set<string>(hackers)].slice(0, COMPARED_HACKERS_MAX) }
}
