import { Button } from '@mantine/core'
import { useMemo, useState } from 'react'
import { useLiveTail } from '../../api/traffic/live-tail.ts'
import { Icon } from '../../design/icon.tsx'
import { wholeNumber } from '../../design/number.ts'
import { filtersOf, type SearchProps } from '../../parts/traffic/search.ts'
import { RequestTable } from './request/request-table.tsx'
import classes from './traffic.module.css'

const TAIL_KEPT_MAX = 2_000

/** The requests as they come. */
export function LivePanel({ search, onChange }: SearchProps) {
  const [paused, setPaused] = useState(false)
  const filters = useMemo(() => filtersOf(search), [search])
  const tail = useLiveTail(filters, !paused, TAIL_KEPT_MAX)
  const words = { connecting: 'Connecting…', live: 'Live', paused: 'Paused', failed: 'Reconnecting…' }[
    tail.state
  ]
  return (
    <RequestTable
      requests={tail.requests}
      state={tail.requests.length > 0 || tail.state === 'live' ? 'ready' : 'loading'}
      hasMore={false}
      opened={search.request}
      onOpen={(request) => onChange({ request })}
      emptyWords="No request yet. The next one shows here as it comes."
      head={
        <div className={classes.liveHead}>
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
        </div>
      }
    />
  )
}
