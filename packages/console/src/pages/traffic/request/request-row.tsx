import { memo, useMemo } from 'react'
import { useResearcherNames } from '../../../api/queries/researcher-queries.ts'
import { useSites } from '../../../api/queries/site-queries.ts'
import type { LoggedRequest } from '../../../api/traffic/request-filters.ts'
import { wholeNumber } from '../../../design/number.ts'
import { durationWords, useTime } from '../../../design/time/time.tsx'
import { OutcomeMark } from '../../../parts/traffic/outcome-mark.tsx'
import classes from '../traffic.module.css'

export const ROW_PIXELS = 30

/** What a row needs beyond its request. The table asks once: hundreds of rows come and go in a second of scrolling. */
export function useRowWords() {
  const { clock, full } = useTime()
  const nameOf = useResearcherNames()
  const sites = useSites()
  return useMemo(() => {
    const names = new Map(sites.data?.map((site) => [site.id, site.gatedName]))
    return { clock, full, nameOf, siteOf: (siteId: string) => names.get(siteId) }
  }, [clock, full, nameOf, sites.data])
}

export const RequestRow = memo(function RequestRow(props: {
  readonly request: LoggedRequest
  readonly words: ReturnType<typeof useRowWords>
  readonly index: number
  readonly top: number
  readonly isActive: boolean
  readonly isOpened: boolean
  readonly onOpen: (request: LoggedRequest) => void
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
