/** Pages of lists that are sorted by an identifier or a number, newest first. A cursor is the last one of its page. */
import { isUuid, type Page } from '@sallyport/contract'
import type { Transaction } from '../../database/database.ts'
import { invalid } from '../../errors.ts'

/** What a store needs to read one page: it returns up to `limit` + 1 rows, so that the last page is known as such. */
export interface PageRequest {
  readonly limit: number
  /** Rows that come after this one; null for the first page. */
  readonly after: string | null
}

/** How a store reads one page: the newest first, up to `limit` + 1 rows. */
export type ListRows<Row, Filter> = (
  tx: Transaction,
  orgId: string,
  filter: Filter,
  page: PageRequest,
) => Promise<Row[]>

interface PageQuery {
  readonly limit?: number | undefined
  readonly cursor?: string | undefined
}

/** Reads a cursor that is an identifier. `limitMax` stands for an absent limit. */
export function readPage(query: PageQuery, limitMax: number): PageRequest {
  if (query.cursor !== undefined && !isUuid(query.cursor)) throw invalid('query/cursor', 'is not a cursor')
  return { limit: query.limit ?? limitMax, after: query.cursor ?? null }
}

/** Makes a page of `limit` + 1 rows. */
export function pageOfRows<Row, Item>(
  rows: readonly Row[],
  limit: number,
  cursorOf: (row: Row) => string,
  present: (row: Row) => Item,
): Page<Item> {
  const shown = rows.slice(0, limit)
  const last = shown.at(-1)
  return {
    items: shown.map(present),
    next: rows.length > limit && last !== undefined ? cursorOf(last) : null,
  }
}

/** The value of the `Link` header that leads to the page after this one. */
export function linkToNext(path: string, query: Readonly<Record<string, unknown>>, cursor: string): string {
  const parameters = new URLSearchParams()
  for (const [name, value] of Object.entries({ ...query, cursor }))
    if (value !== undefined) parameters.set(name, String(value))
  return `<${path}?${parameters}>; rel="next"`
}

/** A pattern for `ILIKE` that finds the words as they are; null where none are asked for. */
export const containing = (words: string | undefined): string | null =>
  words === undefined ? null : `%${words.replaceAll(/[\\%_]/g, '\\$&')}%`
