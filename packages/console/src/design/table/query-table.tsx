import type { ReactNode } from 'react'
import { QueryState, type ShownQuery } from '../feedback/query-state.tsx'
import { Table, type TableProps } from './table.tsx'

/** A table of what a query answers; until then its state, and `empty` where there is no row. */
export function QueryTable<Row>(
  props: TableProps<Row> & {
    readonly query: ShownQuery & { readonly data: unknown }
    readonly canRetry?: boolean
    readonly empty: ReactNode
  },
) {
  const { query, canRetry = true, empty, ...table } = props
  const { rows } = table
  return (
    <>
      <QueryState query={query} canRetry={canRetry} />
      {query.data !== undefined && rows.length === 0 ? empty : null}
      {rows.length > 0 ? <Table {...table} /> : null}
    </>
  )
}
