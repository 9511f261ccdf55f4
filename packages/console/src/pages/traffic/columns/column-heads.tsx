import tableClasses from '../traffic.module.css'
import classes from './columns.module.css'
import { columnOf } from './request-columns.tsx'
import type { RequestColumns } from './use-request-columns.ts'

/** The heads of the columns, whose edges are dragged. The keyboard has the menu of columns for that. */
export function ColumnHeads({ columns }: { readonly columns: RequestColumns }) {
  return (
    <thead>
      <tr
        aria-rowindex={1}
        className={`${tableClasses.row} ${tableClasses.rowHead}`}
        style={{ gridTemplateColumns: columns.template }}
      >
        {columns.headers.map((header) => {
          const column = columnOf(header.column.id)
          return (
            <th key={header.id} scope="col" className={classes.head} data-align={column?.align}>
              {column?.head}
              <span
                aria-hidden="true"
                className={classes.edge}
                onMouseDown={header.getResizeHandler()}
                onTouchStart={header.getResizeHandler()}
                onDoubleClick={() => header.column.resetSize()}
              />
            </th>
          )
        })}
      </tr>
    </thead>
  )
}
