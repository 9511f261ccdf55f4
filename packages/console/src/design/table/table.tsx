/** Plain tables, and tables of what a query answers. Arrow keys move between the rows' links; the first cell names the row. */
import { Button } from '@mantine/core'
import type { KeyboardEvent, ReactNode } from 'react'
import { QueryState, type ShownQuery } from '../feedback/states.tsx'
import { Icon } from '../icon.tsx'
import classes from './table.module.css'

export interface Column<Row> {
  /** No two columns have the same. */
  readonly head: string
  /** What stands in its head, where that is not enough: somebody's name, which another may have. */
  readonly label?: ReactNode
  readonly cell: (row: Row) => ReactNode
  readonly align?: 'end'
  /** Left out on narrow windows. */
  readonly secondary?: boolean
  /** Where rows can be sorted by it: the way in which they are, and what a press on its head does. */
  readonly sort?: ColumnSort
}

export interface ColumnSort {
  /** Null where they are sorted by another column. */
  readonly direction: 'ascending' | 'descending' | null
  readonly onSort: () => void
}

export interface TableProps<Row> {
  readonly label: string
  readonly columns: readonly Column<Row>[]
  readonly rows: readonly Row[]
  readonly rowKey: (row: Row) => string
}

export function Table<Row>(props: TableProps<Row>) {
  return (
    <div className={classes.scroll}>
      <table className={classes.table} aria-label={props.label} onKeyDown={moveBetweenRows}>
        <thead>
          <tr>
            {props.columns.map((column) => (
              <th
                key={column.head}
                scope="col"
                data-align={column.align}
                data-secondary={column.secondary}
                {...(column.sort?.direction ? { 'aria-sort': column.sort.direction } : {})}
              >
                {column.sort ? (
                  <SortHead head={column.head} sort={column.sort} />
                ) : (
                  (column.label ?? column.head)
                )}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {props.rows.map((row) => (
            <tr key={props.rowKey(row)}>
              {props.columns.map((column) => (
                <td key={column.head} data-align={column.align} data-secondary={column.secondary}>
                  {column.cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

function SortHead({ head, sort }: { readonly head: string; readonly sort: ColumnSort }) {
  return (
    <button type="button" className={classes.sort} onClick={sort.onSort}>
      {head}
      <span aria-hidden="true">
        {sort.direction === null ? null : (
          <Icon name={sort.direction === 'ascending' ? 'up' : 'down'} size={12} />
        )}
      </span>
    </button>
  )
}

/** A query whose list comes by pages. */
export interface PagedList<Row> extends ShownQuery {
  readonly rows: readonly Row[]
  readonly hasNextPage: boolean
  readonly isFetchingNextPage: boolean
  readonly fetchNextPage: () => Promise<unknown>
}

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

/** A table of a list that comes by pages. */
export function PagedTable<Row>(
  props: Omit<TableProps<Row>, 'rows'> & {
    readonly query: PagedList<Row> & { readonly data: unknown }
    readonly empty: ReactNode
    /** What the button says that brings the next page. */
    readonly more?: string
  },
) {
  const { more, ...table } = props
  return (
    <>
      <QueryTable {...table} rows={table.query.rows} />
      <MoreButton list={table.query} label={more} />
    </>
  )
}

/** Brings the next page of a list that comes by pages; nothing once all of it is there. */
export function MoreButton(props: {
  readonly list: Pick<PagedList<unknown>, 'hasNextPage' | 'isFetchingNextPage' | 'fetchNextPage'>
  readonly label?: string | undefined
}) {
  const { list, label = 'Show more' } = props
  if (!list.hasNextPage) return null
  return (
    <div className={classes.more}>
      <Button variant="default" loading={list.isFetchingNextPage} onClick={() => void list.fetchNextPage()}>
        {label}
      </Button>
    </div>
  )
}

/** Up and down go to the first link or control of the row above or below. */
function moveBetweenRows(event: KeyboardEvent<HTMLTableElement>): void {
  const step = { ArrowDown: 'nextElementSibling', ArrowUp: 'previousElementSibling' } as const
  const direction = event.key in step ? step[event.key as keyof typeof step] : undefined
  const target = event.target
  if (!direction || !(target instanceof HTMLElement) || target.matches('input, select, textarea')) return
  const next = target.closest('tr')?.[direction]?.querySelector<HTMLElement>('a, button')
  if (!next) return
  event.preventDefault()
  next.focus()
}
