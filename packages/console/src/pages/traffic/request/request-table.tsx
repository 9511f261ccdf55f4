/**
 * The table of requests. Only the rows in sight are in the document (TanStack Virtual), so a hundred thousand scroll
 * like a hundred. Arrow keys move, Enter opens; screen readers hear how many rows there are.
 */
import { useVirtualizer } from '@tanstack/react-virtual'
import { type ReactNode, useEffect, useRef } from 'react'
import type { LoggedRequest } from '../../../api/traffic/request-filters.ts'
import { EmptyState, LoadingState, QueryFailure } from '../../../design/feedback/states.tsx'
import classes from '../traffic.module.css'
import { RequestRow, ROW_PIXELS, useRowWords } from './request-row.tsx'
import { useGridKeys } from './use-grid-keys.ts'

const ROWS_BEFORE_END = 30
const HEADS = ['Time', 'Researcher', 'Method', 'Target', 'Status', 'Answered by', 'Hits', 'Tool', 'Took']
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
}

export function RequestTable(props: RequestTableProps) {
  const { requests, hasMore, onEnd } = props
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
    onOpen: props.onOpen,
    onMove: (index) => rows.scrollToIndex(index),
  })
  return (
    <section className={classes.log} aria-label="Request log" aria-busy={props.busy === true}>
      {props.head}
      <div ref={scroller} className={classes.scroller}>
        <table
          // biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: a table that is moved in by arrow keys is a grid
          role="grid"
          className={classes.grid}
          aria-label="Requests, newest first"
          aria-rowcount={requests.length + 1}
          aria-activedescendant={requests[active] ? `request-${active}` : undefined}
          tabIndex={0}
          onKeyDown={onKeyDown}
        >
          <Head />
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

function Head() {
  return (
    <thead>
      <tr aria-rowindex={1} className={`${classes.row} ${classes.rowHead}`}>
        {HEADS.map((head) => (
          <th key={head} scope="col">
            {head}
          </th>
        ))}
      </tr>
    </thead>
  )
}

function TableState(props: RequestTableProps) {
  if (props.state === 'failed')
    return <QueryFailure error={props.error} {...(props.onRetry ? { onRetry: props.onRetry } : {})} />
  if (props.requests.length > 0) return null
  if (props.state === 'loading') return <LoadingState label="Reading the log…" />
  return (
    <EmptyState icon="traffic" title="No request">
      {props.emptyWords ?? 'Nothing in this window fits the filters.'}
    </EmptyState>
  )
}
