/** SQL of the roster in another order than that of its ids. */
import type { Transaction } from '../../../database/database.ts'
import { containing } from '../../../http/request/paging.ts'
import { RESEARCHER_COLUMNS, type ResearcherFilter, type ResearcherRow, STATE } from '../store.ts'

export type SortedRow = ResearcherRow & {
  /** What it is sorted by, as text. */
  readonly sort_key: string
}

/** By what a roster is sorted, and the type that orders it. Of a name the beginning, so that a cursor is short. */
const KEYS = {
  created: ['r.id', 'uuid'],
  name: ["left(lower(coalesce(nullif(r.name, ''), r.email)), 64)", 'text'],
  // Access without an end ends after all other.
  expires: ["coalesce(extract(epoch FROM r.expires_at)::float8, 'Infinity')", 'float8'],
  value: ['coalesce(v.value, 0)', 'float8'],
} as const
export type SortKey = keyof typeof KEYS

export interface SortedPage {
  readonly key: SortKey
  readonly order: 'asc' | 'desc'
  /** The value of each researcher, where it is sorted by that; 0 of any other. */
  readonly values: readonly { readonly id: string; readonly value: number }[]
  readonly limit: number
  /** The last row of the page before. */
  readonly after: { readonly key: string; readonly id: string } | undefined
}

/** Up to `limit` + 1 rows. */
export function listSorted(
  tx: Transaction,
  orgId: string,
  filter: ResearcherFilter,
  { key, order, values, limit, after }: SortedPage,
): Promise<SortedRow[]> {
  const [expression, type] = KEYS[key]
  const [beyond, direction] = order === 'asc' ? ['>', 'ASC'] : ['<', 'DESC']
  return tx.query<SortedRow>(
    `SELECT ${RESEARCHER_COLUMNS}, sort_key::text AS sort_key FROM (
       SELECT r.*, ${expression} AS sort_key FROM researchers r
       LEFT JOIN unnest($5::uuid[], $6::float8[]) AS v (id, value) ON v.id = r.id
       WHERE r.org_id = $1 AND ($2::text IS NULL OR r.email ILIKE $2 OR r.name ILIKE $2)
         AND ($3::text IS NULL OR ${STATE} = $3)
         AND ($4::uuid IS NULL OR r.id IN (
           SELECT researcher_id FROM site_researchers WHERE org_id = $1 AND site_id = $4))
         AND ($10::uuid[] IS NULL OR r.id = ANY ($10))) AS roster
     WHERE $7::text IS NULL OR (sort_key, id) ${beyond} ($7::text::${type}, $8::uuid)
     ORDER BY roster.sort_key ${direction}, roster.id ${direction} LIMIT $9`,
    [
      orgId,
      containing(filter.search),
      filter.state ?? null,
      filter.siteId ?? null,
      values.map(({ id }) => id),
      values.map(({ value }) => value),
      after?.key ?? null,
      after?.id ?? null,
      limit + 1,
      filter.ids ?? null,
    ],
  )
}
