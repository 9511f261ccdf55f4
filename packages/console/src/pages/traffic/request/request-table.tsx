/**
 * The table of requests. Only the rows in sight are in the document (TanStack Virtual), so a hundred thousand scroll
 * like a hundred. Arrow keys move, Enter opens; screen readers hear how many rows there are.
 */
import { useVirtualizer } from '@tanstack/react-virtual'
import { type ReactNode, useEffect, useMemo, useRef } from 'react'
import type { LoggedRequest } from '../../../api/traffic/request-filters.ts'
import { EmptyState, LoadingState, QueryFailure } from '../../../design/feedback/states.tsx'
import { ColumnHeads } from '../columns/column-heads.tsx'
import type { RequestColumns } from '../columns/use-request-columns.ts'
import classes from '../traffic.module.css'
import { GRID_ID } from './grid-id.ts'
import { type OnValue, RequestRow, ROW_PIXELS } from './request-row.tsx'
import { texts } from './texts.ts'
import { useGridKeys } from './use-grid-keys.ts'
import { useRowWords } from './use-row-words.ts'

const ROWS_BEFORE_END = 30
export interface RequestTableProps {
  readonly requests: readonly LoggedRequest[]
  readonly state: 'loading' | 'ready' | 'failed'
  /** The requests answer an earlier question; the answer to the present one is loading. */
  readonly busy?: boolean
  readonly error?: unknown
  readonly onRetry?: () => void
  readonly hasMore: boolean
  readonly onEnd?: () => void
  readonly opened: string | undefined
  readonly onOpen: (requestId: string) => void
  readonly emptyWords?: string
  readonly head?: ReactNode
  readonly columns: RequestColumns
  readonly onValue: OnValue
}

export function RequestTable(props: RequestTableProps) {
  const { requests, hasMore, onEnd, columns } = props
  const words = useRowWords()
  const scroller = useRef<HTMLDivElement>(null)
  const rows = useVirtualizer({
    count: requests.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_PIXELS,
    overscan: 12,
  })
  const shown = rows.getVirtualItems()
  const last = shown.at(-1)?.index ?? 0
  useEffect(() => {
    if (hasMore && last >= requests.length - ROWS_BEFORE_END) onEnd?.()
  }, [hasMore, onEnd, last, requests.length])
  const { active, open, onKeyDown } = useGridKeys({
    requests,
    opened: props.opened,
    onOpen: props.onOpen,
    onMove: (index) => rows.scrollToIndex(index),
  })
  const openedAt = useMemo(
    () => requests.findIndex(({ id }) => id === props.opened),
    [requests, props.opened],
  )
  const isShown = openedAt >= 0
  // biome-ignore lint/correctness/useExhaustiveDependencies: when another one is opened, not when rows come above it
  useEffect(() => {
    if (isShown) rows.scrollToIndex(openedAt, { align: 'auto' })
  }, [props.opened, isShown])
  return (
    <section className={classes.log} aria-label={texts.requestLog} aria-busy={props.busy === true}>
      {props.head}
      <div ref={scroller} className={classes.scroller}>
        <table
          // biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: a table that is moved in by arrow keys is a grid
          role="grid"
          id={GRID_ID}
          className={classes.grid}
          aria-label={texts.requestsNewestFirst}
          aria-rowcount={requests.length + 1}
          aria-activedescendant={requests[active] ? `request-${active}` : undefined}
          tabIndex={0}
          onKeyDown={onKeyDown}
          style={{ minWidth: columns.width }}
        >
          <ColumnHeads columns={columns} />
          <tbody style={{ height: rows.getTotalSize() }}>
            {shown.map((item) => {
              const request = requests[item.index]
              return request ? (
                <RequestRow
                  key={item.key}
                  request={request}
                  words={words}
                  index={item.index}
                  top={item.start}
                  isActive={item.index === active}
                  isOpened={request.id === props.opened}
                  onOpen={open}
                  columns={columns.shown}
                  template={columns.template}
                  onValue={props.onValue}
                />
              ) : null
            })}
          </tbody>
        </table>
      </div>
      <TableState {...props} />
    </section>
  )
}

function TableState(props: RequestTableProps) {
  if (props.state === 'failed')
    return <QueryFailure error={props.error} {...(props.onRetry ? { onRetry: props.onRetry } : {})} />
  if (props.requests.length > 0) return null
  if (props.state === 'loading') return <LoadingState label={texts.loadingRequests} />
  return (
    <EmptyState icon="traffic" title={texts.noRequests}>
      {props.emptyWords ?? texts.noRequestsBody}
    </EmptyState>
  )
}
