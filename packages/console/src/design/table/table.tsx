/** Plain tables. Arrow keys move between the rows' links; the first cell names the row. */
import type { KeyboardEvent, ReactNode } from 'react'
import classes from './table.module.css'

export interface Column<Row> {
  readonly head: string
  readonly cell: (row: Row) => ReactNode
  readonly align?: 'end'
  /** Left out on narrow windows. */
  readonly secondary?: boolean
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
              <th key={column.head} scope="col" data-align={column.align} data-secondary={column.secondary}>
                {column.head}
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
