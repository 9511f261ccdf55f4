import { Button } from '@mantine/core'
import { type ReactNode, useMemo, useState } from 'react'
import { useLiveTail } from '../../api/traffic/live-tail.ts'
import { Icon } from '../../design/icon.tsx'
import { filtersOf, type SearchProps } from '../../parts/traffic/search.ts'
import { RequestWorkspace } from './request/request-workspace.tsx'
import { texts } from './texts.ts'

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
      emptyWords={texts.noRequestsYetNew}
      head={
        <>
          <strong role="status">{words}</strong>
          <span className="soft tabular">
            {texts.newestKept(tail.requests.length, tail.missed > 0 ? texts.leftOutBecause(tail.missed) : '')}
          </span>
          <Button
            variant="default"
            leftSection={<Icon name={paused ? 'play' : 'pause'} size={14} />}
            onClick={() => setPaused(!paused)}
          >
            {paused ? texts.goOn : texts.pause}
          </Button>
        </>
      }
    />
  )
}
