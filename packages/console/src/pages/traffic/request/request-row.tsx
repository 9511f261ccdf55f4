import { type MouseEvent, memo } from 'react'
import type { FilterFieldName, LoggedRequest } from '../../../api/traffic/request-filters.ts'
import type { RequestColumn } from '../columns/request-columns.tsx'
import classes from '../traffic.module.css'
import { texts } from './texts.ts'
import type { RowWords } from './use-row-words.ts'

export const ROW_PIXELS = 30
const CELL_CLASSES = { mono: 'clip mono', tabular: 'clip tabular', plain: 'clip' } as const

/** A click on a value of a row: only what has it, or what has it not. */
export type OnValue = (field: FilterFieldName, value: string, excludes: boolean) => void

export const RequestRow = memo(function RequestRow(props: {
  readonly request: LoggedRequest
  readonly columns: readonly RequestColumn[]
  /** Of the columns, as `grid-template-columns` has it. */
  readonly template: string
  readonly words: RowWords
  readonly index: number
  readonly top: number
  readonly isActive: boolean
  readonly isOpened: boolean
  readonly onOpen: (request: LoggedRequest) => void
  readonly onValue: OnValue
}) {
  const { request, columns, words } = props
  const onClick = (event: MouseEvent<HTMLElement>) => {
    const value = event.target instanceof Element ? event.target.closest('[data-column]') : null
    const filter = columns.find(({ id }) => id === value?.getAttribute('data-column'))?.filter
    if (filter) props.onValue(filter.field, filter.value(request), event.altKey || event.shiftKey)
    else props.onOpen(request)
  }
  return (
    // The keyboard reaches rows through the grid that holds them: arrows and Enter. For its filters it has the line above.
    <tr
      id={`request-${props.index}`}
      aria-rowindex={props.index + 2}
      aria-selected={props.isOpened}
      data-active={props.isActive}
      className={classes.row}
      style={{
        transform: `translateY(${props.top}px)`,
        height: ROW_PIXELS,
        gridTemplateColumns: props.template,
      }}
      onClick={onClick}
    >
      {columns.map((column) => (
        <td
          key={column.id}
          className={CELL_CLASSES[column.isMono ? 'mono' : column.isTabular ? 'tabular' : 'plain']}
          data-align={column.align}
          title={column.title?.(request, words)}
        >
          {column.filter ? (
            <span className={classes.value} data-column={column.id} title={texts.clickToFilter}>
              {column.cell(request, words)}
            </span>
          ) : (
            column.cell(request, words)
          )}
        </td>
      ))}
    </tr>
  )
})
