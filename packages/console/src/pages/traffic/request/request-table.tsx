/**
 * The table of requests. Only the rows in sight are in the document (TanStack Virtual), so a hundred thousand scroll
 * like a hundred. Arrow keys move, Enter opens; screen readers are told how many rows there are.
 */
import { useVirtualizer } from '@tanstack/react-virtual'
import {
  type KeyboardEvent,
  memo,
  type ReactNode,
  useCallback,
  useEffect,
  useMemo,
  useRef,
  useState,
} from 'react'
import { useResearcherNames } from '../../../api/queries/researcher-queries.ts'
import { useSites } from '../../../api/queries/site-queries.ts'
import type { RecordedRequest } from '../../../api/traffic/recorded-request.ts'
import { EmptyState, ErrorState, LoadingState } from '../../../design/feedback/states.tsx'
import { wholeNumber } from '../../../design/number.ts'
import { durationWords, useTime } from '../../../design/time/time.tsx'
import { OutcomeMark } from '../../../parts/traffic/outcome-mark.tsx'
import classes from '../traffic.module.css'

const ROW_PIXELS = 30
const ROWS_BEFORE_END = 30
const HEADS = [
  'Time',
  'Researcher',
  'Method',
  'Target',
  'Status',
  'Answered by',
  'Hits',
  'Tool',
  'Took',
] as const
const PAGE_STEP = 15
const STEPS: Readonly<Record<string, number>> = {
  ArrowDown: 1,
  ArrowUp: -1,
  PageDown: PAGE_STEP,
  PageUp: -PAGE_STEP,
}

export interface RequestTableProps {
  readonly requests: readonly RecordedRequest[]
  readonly state: 'loading' | 'ready' | 'failed'
  /** The requests shown are of before: others are on the way. */
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
  const { requests } = props
  const scroller = useRef<HTMLDivElement>(null)
  const [chosen, setChosen] = useState<RecordedRequest | null>(null)
  // A row stays the active one where new ones come above it. Before one is chosen, it is the newest.
  const active = useMemo(() => Math.max(0, placeOf(requests, chosen)), [requests, chosen])
  const rows = useVirtualizer({
    count: requests.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_PIXELS,
    overscan: 12,
  })
  const shown = rows.getVirtualItems()
  const last = shown.at(-1)?.index ?? 0
  const { hasMore, onEnd } = props
  useEffect(() => {
    if (hasMore && last >= requests.length - ROWS_BEFORE_END) onEnd?.()
  }, [hasMore, onEnd, last, requests.length])
  const words = useRowWords()
  const { onOpen } = props
  const openRow = useCallback(
    (request: RecordedRequest) => {
      setChosen(request)
      onOpen(request.id)
    },
    [onOpen],
  )
  const onKeyDown = (event: KeyboardEvent) => {
    const step = STEPS[event.key]
    if (step !== undefined && requests.length > 0) {
      event.preventDefault()
      const next = Math.min(Math.max(active + step, 0), requests.length - 1)
      setChosen(requests[next] ?? null)
      rows.scrollToIndex(next)
    }
    const request = requests[active]
    if (event.key === 'Enter' && request) openRow(request)
  }
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
          <thead>
            <tr aria-rowindex={1} className={`${classes.row} ${classes.rowHead}`}>
              {HEADS.map((head) => (
                <th key={head} scope="col">
                  {head}
                </th>
              ))}
            </tr>
          </thead>
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
                  onOpen={openRow}
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
    return <ErrorState error={props.error} {...(props.onRetry ? { onRetry: props.onRetry } : {})} />
  if (props.requests.length > 0) return null
  if (props.state === 'loading') return <LoadingState label="Reading the log…" />
  return (
    <EmptyState icon="traffic" title="No request">
      {props.emptyWords ?? 'Nothing in this window fits the filters.'}
    </EmptyState>
  )
}

const placeOf = (requests: readonly RecordedRequest[], sought: RecordedRequest | null): number =>
  sought ? requests.findIndex(({ id, kind }) => id === sought.id && kind === sought.kind) : 0

/** What a row needs beyond its request. The table asks once: hundreds of rows come and go in a second of scrolling. */
function useRowWords() {
  const { clock, full } = useTime()
  const nameOf = useResearcherNames()
  const sites = useSites()
  return useMemo(() => {
    const names = new Map(sites.data?.map((site) => [site.id, site.gatedName]))
    return { clock, full, nameOf, siteOf: (siteId: string) => names.get(siteId) }
  }, [clock, full, nameOf, sites.data])
}

const RequestRow = memo(function RequestRow(props: {
  readonly request: RecordedRequest
  readonly words: ReturnType<typeof useRowWords>
  readonly index: number
  readonly top: number
  readonly isActive: boolean
  readonly isOpened: boolean
  readonly onOpen: (request: RecordedRequest) => void
}) {
  const { request, words } = props
  const hits = request.hits.length
  return (
    // The keyboard reaches rows through the grid that holds them: arrows and Enter.
    <tr
      id={`request-${props.index}`}
      aria-rowindex={props.index + 2}
      aria-selected={props.isOpened}
      data-active={props.isActive}
      className={classes.row}
      style={{ transform: `translateY(${props.top}px)`, height: ROW_PIXELS }}
      onClick={() => props.onOpen(request)}
    >
      <td title={words.full(request.time)}>{words.clock(request.time)}</td>
      <td className="clip">{words.nameOf(request.researcherId)}</td>
      <td className="clip">{request.method}</td>
      <td className="clip mono" title={words.siteOf(request.siteId)}>
        {request.requestCount > 1 ? <strong>× {wholeNumber(request.requestCount)} </strong> : null}
        {request.target}
      </td>
      <td data-status={Math.floor(request.status / 100)}>{request.status || '–'}</td>
      <td>
        <OutcomeMark outcome={request.outcome} />
      </td>
      <td title={hits > 0 ? 'Firewall rules that matched' : undefined}>{hits > 0 ? hits : ''}</td>
      <td className="clip">{request.tool}</td>
      <td>{durationWords(request.durationUs)}</td>
    </tr>
  )
})
