import { FACETS, type Facet } from '@sallyport/contract'
import { useMatchingResearchers } from '../../../api/queries/researcher-queries.ts'
import { useSites } from '../../../api/queries/site-queries.ts'
import { facetValues, useFacets } from '../../../api/traffic/analytics-queries.ts'
import type { FilterFieldName, RequestFilters } from '../../../api/traffic/request-filters.ts'
import { FIELD_WORDS, useValueWords } from '../../../parts/traffic/field-words.ts'
import { FILTER_NAMES, KNOWN_VALUES } from './filter-names.ts'
import { printValue, type Vocabulary } from './filter-query.ts'
import { quoteValue } from './filter-tokens.ts'
import { type CompletionPlace, matchingNames } from './query-completion.ts'

export interface Suggestion {
  /** What is put into the text. */
  readonly text: string
  readonly label: string
  /** Requests of the window that have it. */
  readonly count?: number | undefined
}

const VALUES_COUNTED = 50
const SHOWN_MAX = 10

const isFacet = (field: FilterFieldName): field is Facet => (FACETS as readonly string[]).includes(field)

/** Names of fields, and values that the record of the window has, the most frequent first. */
export function useSuggestions(
  place: CompletionPlace | null,
  filters: RequestFilters,
  vocabulary: Vocabulary,
): readonly Suggestion[] {
  const field = place?.kind === 'value' ? place.field : undefined
  const typed = place?.typed.toLowerCase() ?? ''
  const facet = field && isFacet(field) ? field : undefined
  // What may stand beside the value in question does not depend on it.
  const others = field ? { ...filters, [field]: undefined } : filters
  const facets = useFacets(others, facet ? [facet] : [], VALUES_COUNTED, facet !== undefined)
  const sites = useSites()
  const researchers = useMatchingResearchers(typed, SHOWN_MAX, field === 'hacker')
  const wordsOf = useValueWords()
  if (!place) return []
  if (field === undefined)
    return matchingNames(place.typed)
      .map((name) => ({ text: `${FILTER_NAMES[name]}:`, label: FIELD_WORDS[name] }))
      .slice(0, FILTER_FIELDS_SHOWN_MAX)
  const counts = new Map(
    (facet ? facetValues(facets.data, facet) : []).map(({ value, count }) => [value, count]),
  )
  const known =
    field === 'site'
      ? (sites.data ?? []).map(({ id }) => id)
      : field === 'hacker'
        ? (researchers.data?.items ?? []).map(({ id }) => id)
        : (KNOWN_VALUES[field] ?? [])
  const nameless = (value: string) =>
    field === 'hacker' && value !== '' && vocabulary.wordsOf(field, value) === value
  return [...new Set([...counts.keys(), ...known])]
    .map((value) => ({
      // A name that is loaded only here is put into the text as the id that it stands for.
      text: nameless(value) ? quoteValue(value) : printValue(field, value, vocabulary),
      label: wordsOf(field, value),
      count: counts.get(value),
    }))
    .filter(({ text, label }) => `${text} ${label}`.toLowerCase().includes(typed))
    .slice(0, SHOWN_MAX)
}

/** All of them: a list of names is read, not searched. */
const FILTER_FIELDS_SHOWN_MAX = 20
