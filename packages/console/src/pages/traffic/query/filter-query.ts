/** Filters as text and back: `researcher:Scripts path:/files status:5xx`. */
import { readFilterValue } from '@sallyport/contract'
import { FILTER_FIELDS, type FilterFieldName } from '../../../api/traffic/request-filters.ts'
import type { TrafficSearch } from '../../../parts/traffic/search.ts'
import { withValue } from '../filters.ts'
import { FILTER_NAMES, fieldOfName, SEARCH_CHARS_MAX, whyNoValue } from './filter-names.ts'
import { type FilterToken, filterTokens, quoted, quoteValue } from './filter-tokens.ts'
import { texts } from './texts.ts'

/** The part of a search that the filter bar holds: without the window of time, and what is open. */
export type QueryFilters = Pick<TrafficSearch, FilterFieldName | 'search'>

/** Names for ids, and back. Fields that are not ids have their values as words. */
export interface Vocabulary {
  readonly wordsOf: (field: FilterFieldName, value: string) => string
  /** Undefined where the words stand for nothing, or for several. */
  readonly valueOf: (field: FilterFieldName, words: string) => string | undefined
}

/** What is wrong with a token, and where it stands. */
export interface QueryProblem {
  readonly from: number
  readonly to: number
  readonly words: string
  /** Of a name that stands for no id: it may be one that is not loaded yet. */
  readonly unknown?: { readonly field: FilterFieldName; readonly words: string }
}

export interface ParsedQuery {
  readonly filters: QueryFilters
  readonly problems: readonly QueryProblem[]
}

export function parseQuery(text: string, vocabulary: Vocabulary): ParsedQuery {
  let filters: QueryFilters = {}
  const problems: QueryProblem[] = []
  const words: string[] = []
  for (const token of filterTokens(text)) {
    const read = readTerm(token, vocabulary)
    if ('words' in read) problems.push({ from: token.from, to: token.to, ...read })
    else if (read.field === undefined) words.push(read.value)
    else filters = { ...filters, ...withValue(filters, read.field, read.value, token.excludes) }
  }
  const search = words.join(' ')
  if (search.length > SEARCH_CHARS_MAX)
    problems.push({ from: 0, to: text.length, words: texts.wordsHaveAtMostCharacters(SEARCH_CHARS_MAX) })
  return { filters: search === '' ? filters : { ...filters, search }, problems }
}

type Term = { readonly field: FilterFieldName | undefined; readonly value: string }

function readTerm(token: FilterToken, vocabulary: Vocabulary): Term | Omit<QueryProblem, 'from' | 'to'> {
  const { name, value } = token
  if (token.isBroken) return { words: texts.aQuotationEnds }
  if (name === undefined) return { field: undefined, value }
  const field = fieldOfName(name)
  if (!field) return { words: texts.thereIsNoField(name) }
  if (value === '' && !token.isQuoted) return { words: texts.hasNoValueNone(name) }
  const known = valueOfWords(field, value, vocabulary)
  if (known === undefined)
    return { words: texts.noHasThisNameAlone(FILTER_NAMES[field]), unknown: { field, words: value } }
  const why = whyNoValue(field, known)
  return why === null ? { field, value: known } : { words: `"${name}" ${why}.` }
}

/** A score is a percentage for the API, and a probability for people. */
const PROBABILITY = /^(?:0|1|1\.00?|0?\.\d{1,2})$/

function valueOfWords(field: FilterFieldName, words: string, vocabulary: Vocabulary): string | undefined {
  if (field === 'minScorePercent')
    return String(PROBABILITY.test(words) ? Math.round(Number(words) * 100) : Number.NaN)
  if (field === 'status') return words.toLowerCase()
  return vocabulary.valueOf(field, words)
}

/** The text of one value of a field, as the bar shows it. */
export function printValue(field: FilterFieldName, value: string, vocabulary: Vocabulary): string {
  if (field === 'minScorePercent' && whyNoValue(field, value) === null)
    return (Number(value) / 100).toFixed(2)
  const words = vocabulary.wordsOf(field, value)
  return quoteValue(vocabulary.valueOf(field, words) === value ? words : value)
}

/** The text that `parseQuery` reads back as these filters. */
export function printQuery(filters: QueryFilters, vocabulary: Vocabulary): string {
  const terms = FILTER_FIELDS.flatMap((field) =>
    (filters[field] ?? []).map((written) => {
      const { value, excludes } = readFilterValue(written)
      return `${excludes ? '-' : ''}${FILTER_NAMES[field]}:${printValue(field, value, vocabulary)}`
    }),
  )
  return [...terms, ...(filters.search ? [printWords(filters.search)] : [])].join(' ')
}

/** Words stand as they are where they are read back as the same words. */
function printWords(search: string): string {
  const bare = filterTokens(search)
  const isPlain =
    bare.every((token) => token.name === undefined && !token.isQuoted) &&
    bare.map((token) => quoteValue(token.value)).join(' ') === search
  return isPlain ? search : quoted(search)
}
