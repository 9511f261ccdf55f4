/** What can be completed where the cursor stands in a filter text. */
import { FILTER_FIELDS, type FilterFieldName } from '../../../api/traffic/request-filters.ts'
import { FILTER_NAMES, fieldOfName } from './filter-names.ts'
import { filterTokens } from './filter-tokens.ts'

interface Place {
  /** What a choice replaces. */
  readonly from: number
  readonly to: number
  /** What of it stands before the cursor. */
  readonly typed: string
}
export type CompletionPlace = Place &
  ({ readonly kind: 'name' } | { readonly kind: 'value'; readonly field: FilterFieldName })

/** Null where nothing is to be completed: in quoted words, and behind a name that no field has. */
export function completionAt(text: string, cursor: number): CompletionPlace | null {
  const token = filterTokens(text).find((one) => one.from <= cursor && cursor <= one.to)
  if (!token) return { kind: 'name', from: cursor, to: cursor, typed: '' }
  if (token.name === undefined) {
    if (token.isQuoted) return null
    const from = token.from + (text[token.from] === '-' ? 1 : 0)
    return from <= cursor ? { kind: 'name', from, to: token.to, typed: text.slice(from, cursor) } : null
  }
  const field = fieldOfName(token.name)
  if (!field || cursor < token.valueFrom) return null
  const typed = text.slice(token.valueFrom, cursor).replace(/^"/, '')
  return { kind: 'value', field, from: token.valueFrom, to: token.to, typed }
}

/** The text with a choice in its place, and where the cursor then stands. */
export function complete(text: string, { from, to }: Place, chosen: string) {
  const behind = text.slice(to)
  // A name goes on with its value; behind a value the next term begins.
  const gap = chosen.endsWith(':') || behind.startsWith(' ') ? '' : ' '
  const cursor = from + chosen.length + (chosen.endsWith(':') ? 0 : 1)
  return { text: `${text.slice(0, from)}${chosen}${gap}${behind}`, cursor }
}

/** Names that begin with what is typed, then those that hold it. */
export function matchingNames(typed: string): readonly FilterFieldName[] {
  const wanted = typed.toLowerCase()
  const fields = FILTER_FIELDS.filter((field) => FILTER_NAMES[field].toLowerCase().includes(wanted))
  const begins = (field: FilterFieldName) => FILTER_NAMES[field].toLowerCase().startsWith(wanted)
  return [...fields.filter(begins), ...fields.filter((field) => !begins(field))]
}
