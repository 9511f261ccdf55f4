/** How the filter bar calls the fields of the request log, and which values each of them can have. */
import { OUTCOMES, REQUEST_FILTERS, SEVERITIES } from '@sallyport/contract'
import { FILTER_FIELDS, type FilterFieldName } from '../../../api/traffic/request-filters.ts'
import { texts } from './texts.ts'

const OTHERWISE: Readonly<Partial<Record<FilterFieldName, string>>> = {
  hacker: 'researcher',
  minScorePercent: 'score',
  minScannerPercent: 'scanner',
}

/** The API's own names, but for those whose words people say otherwise. */
// Every field is among `FILTER_FIELDS`.
export const FILTER_NAMES = Object.fromEntries(
  FILTER_FIELDS.map((field) => [field, OTHERWISE[field] ?? field]),
) as Readonly<Record<FilterFieldName, string>>

/** The field of a name, in whatever case it is typed. */
export function fieldOfName(name: string): FilterFieldName | undefined {
  const wanted = name.toLowerCase()
  return FILTER_FIELDS.find((field) => FILTER_NAMES[field].toLowerCase() === wanted)
}

/** Values to choose from where they are few and known beforehand. */
export const KNOWN_VALUES: Readonly<Partial<Record<FilterFieldName, readonly string[]>>> = {
  outcome: OUTCOMES,
  severity: SEVERITIES,
  status: ['2xx', '3xx', '4xx', '5xx'],
  minScorePercent: ['50', '80', '90', '98'],
  minScannerPercent: ['50', '80', '95'],
}

const CHARS_MAX = new Map<string, number>(REQUEST_FILTERS.map(({ filter }) => [filter.name, filter.charsMax]))
export const SEARCH_CHARS_MAX = 256

const STATUS = /^([1-9]xx|0|[1-9]\d{0,2})$/
const PERCENT = /^(100|\d{1,2})$/

/** Why a field has no such value, in words; null where it may have it. */
export function whyNoValue(field: FilterFieldName, value: string): string | null {
  const charsMax = CHARS_MAX.get(field) ?? SEARCH_CHARS_MAX
  // One more may be written before it: the sign that excludes.
  if (value.length >= charsMax) return texts.hasAtMostCharacters(charsMax - 1)
  if (field === 'status' && !STATUS.test(value)) return texts.isANumberSuch
  if (field === 'minScorePercent' && !PERCENT.test(value)) return texts.isANumber
  if (field === 'minScannerPercent' && !PERCENT.test(value)) return texts.isAPercentage
  if (field === 'outcome' || field === 'severity') {
    const known = KNOWN_VALUES[field] ?? []
    if (!known.includes(value)) return texts.isOneOf(known.join(', '))
  }
  return null
}
