import { Button } from '@mantine/core'
import { type ReactNode, useMemo, useState } from 'react'
import { useLiveTail } from '../../api/traffic/live-tail.ts'
import { Icon } from '../../design/icon.tsx'
import { wholeNumber } from '../../design/number.ts'
import { filtersOf, type SearchProps } from '../../parts/traffic/search.ts'
import { RequestWorkspace } from './request/request-workspace.tsx'

const TAIL_KEPT_MAX = 2_000

/** The requests as they come, whatever window the chart and the counts beside them show. */
export function LiveTable(props: SearchProps & { readonly facets: ReactNode }) {
  const { search } = props
  const [paused, setPaused] = useState(false)
  // Another window is another chart, and the same tail.
  const filters = useMemo(() => filtersOf({ ...search, gte: undefined, lte: undefined }), [search])
  const tail = useLiveTail(filters, !paused, TAIL_KEPT_MAX)
  const words = { connecting: 'Connecting…', live: 'Live', paused: 'Paused', failed: 'Reconnecting…' }[
    tail.state
  ]
  return (
    <RequestWorkspace
      requests={tail.requests}
      state={tail.requests.length > 0 || tail.state === 'live' ? 'ready' : 'loading'}
      hasMore={false}
      {...props}
      emptyWords="No requests yet. New ones appear here as they arrive."
      head={
        <>
          <strong role="status">{words}</strong>
          <span className="soft tabular">
            newest {wholeNumber(tail.requests.length)} kept
            {tail.missed > 0 ? `, ${wholeNumber(tail.missed)} left out because this window was too slow` : ''}
          </span>
          <Button
            variant="default"
            leftSection={<Icon name={paused ? 'play' : 'pause'} size={14} />}
            onClick={() => setPaused(!paused)}
          >
            {paused ? 'Go on' : 'Pause'}
          </Button>
        </>
      }
    />
  )
}
