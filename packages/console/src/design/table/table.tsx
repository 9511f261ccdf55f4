/** Plain tables, and tables of what a query answers. Arrow keys move between the rows' links; the first cell names the row. */
import { Button } from '@mantine/core'
import { Fragment, type KeyboardEvent, memo, type ReactNode, useRef } from 'react'
import { QueryState, type ShownQuery } from '../feedback/states.tsx'
import { Icon } from '../icon.tsx'
import { useIsPrinted } from '../page/use-is-printed.ts'
import { LONG_FROM_ROWS, useRowsInSight } from './rows-in-sight.ts'
import classes from './table.module.css'
import { texts } from './texts.ts'

export interface Column<Row> {
  /** No two columns have the same. */
  readonly head: string
  /** What stands in its head, where that is not enough: somebody's name, which another may have. */
  readonly label?: ReactNode
  readonly cell: (row: Row) => ReactNode
  readonly align?: 'end'
  /** Left out on narrow windows; the least of them already where the side bar leaves the table too little. */
  readonly secondary?: boolean | 'least'
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
  /** What the cells have of answers that may come later than the rows: the columns of a long table are measured anew when it changes. */
  readonly content?: string
}

/** A table; of a long one, the rows in sight are in the document, and all of them on paper. */
export function Table<Row>(props: TableProps<Row>) {
  const isPrinted = useIsPrinted()
  return props.rows.length >= LONG_FROM_ROWS && !isPrinted ? (
    <LongTable {...props} />
  ) : (
    <WholeTable {...props} />
  )
}

const WholeTable = <Row,>(props: TableProps<Row>) => (
  <div className={classes.scroll}>
    <table className={classes.table} aria-label={props.label} onKeyDown={moveBetweenRows}>
      <Heads columns={props.columns} />
      <tbody>
        {props.rows.map((row) => (
          <tr key={props.rowKey(row)}>
            <Cells columns={props.columns} row={row} />
          </tr>
        ))}
      </tbody>
    </table>
  </div>
)

function LongTable<Row>(props: TableProps<Row>) {
  const { columns, rows, rowKey } = props
  const table = useRef<HTMLTableElement>(null)
  const sight = useRowsInSight(table, rows.length, [...columns.map(({ head }) => head), props.content].join())
  return (
    <div className={classes.scroll}>
      <table
        ref={table}
        className={classes.table}
        data-fixed={sight.widths !== undefined}
        style={{ minWidth: sight.width }}
        aria-label={props.label}
        aria-rowcount={rows.length + 1}
        onKeyDown={moveBetweenRows}
      >
        <Heads columns={columns} widths={sight.widths} />
        <tbody>
          {sight.rows.map(({ index, above }) => {
            const row = rows[index]
            return row === undefined ? null : (
              <Fragment key={rowKey(row)}>
                <Gap pixels={above} />
                <LongRow row={row} index={index} columns={columns} measure={sight.measure} />
              </Fragment>
            )
          })}
          <Gap pixels={sight.below} />
        </tbody>
      </table>
    </div>
  )
}

interface LongRowProps<Row> {
  readonly row: Row
  readonly index: number
  readonly columns: readonly Column<Row>[]
  readonly measure: (row: HTMLTableRowElement | null) => void
}

/** Drawn again only where something of it has changed: a scroll brings rows, and changes none. */
// `memo` forgets that the component is generic.
const LongRow = memo(function LongRow<Row>(props: LongRowProps<Row>) {
  return (
    <tr ref={props.measure} data-index={props.index} aria-rowindex={props.index + 2}>
      <Cells columns={props.columns} row={props.row} />
    </tr>
  )
}) as <Row>(props: LongRowProps<Row>) => ReactNode

const Heads = <Row,>(props: {
  readonly columns: readonly Column<Row>[]
  readonly widths?: readonly (number | undefined)[] | undefined
}) => (
  <thead>
    <tr>
      {props.columns.map((column, index) => (
        <th
          key={column.head}
          scope="col"
          data-align={column.align}
          data-secondary={column.secondary || undefined}
          {...(column.sort?.direction ? { 'aria-sort': column.sort.direction } : {})}
          style={{ width: props.widths?.[index] }}
        >
          {column.sort ? <SortHead head={column.head} sort={column.sort} /> : (column.label ?? column.head)}
        </th>
      ))}
    </tr>
  </thead>
)

const Cells = <Row,>(props: { readonly columns: readonly Column<Row>[]; readonly row: Row }) =>
  props.columns.map((column) => (
    <td key={column.head} data-align={column.align} data-secondary={column.secondary || undefined}>
      {column.cell(props.row)}
    </td>
  ))

/** Stands for the rows that are not in the document. */
const Gap = ({ pixels }: { readonly pixels: number }) =>
  pixels >= 1 ? (
    // biome-ignore lint/a11y/noAriaHiddenOnFocusable: nothing in it can have the focus
    <tr aria-hidden="true" data-gap className={classes.gap}>
      <td style={{ height: pixels }} />
    </tr>
  ) : null

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
  const { list, label = texts.showMore } = props
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
  const row = target.closest('tr')
  const beside = row?.[direction]
  if (row && beside instanceof HTMLElement && beside.dataset.gap !== undefined) {
    // Those beside it come as it is scrolled into sight; a key that is held moves on then.
    event.preventDefault()
    row.scrollIntoView({ block: 'center', behavior: 'instant' })
    return
  }
  const next = beside?.querySelector<HTMLElement>('a, button')
  if (!next) return
  event.preventDefault()
  next.focus()
}
