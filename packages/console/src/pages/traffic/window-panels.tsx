import { Button } from '@mantine/core'
import { useMemo } from 'react'
import { useTimeline } from '../../api/traffic/analytics-queries.ts'
import { useRequestLog } from '../../api/traffic/request-queries.ts'
import { wholeNumber } from '../../design/number.ts'
import { Panel } from '../../design/page/panel.tsx'
import { requestTotal } from '../../parts/traffic/outcome-series.ts'
import { RequestTimeline } from '../../parts/traffic/request-timeline.tsx'
import { filtersOf, type SearchProps } from '../../parts/traffic/search.ts'
import { FacetList } from './facet-list.tsx'
import { RequestTable } from './request/request-table.tsx'
import classes from './traffic.module.css'

/** The requests of a window: over time, by counted values, and one by one. */
export function WindowPanels({ search, onChange }: SearchProps) {
  const filters = useMemo(() => filtersOf(search), [search])
  const timeline = useTimeline(filters)
  const log = useRequestLog(filters)
  return (
    <>
      <Panel
        title={timeline.data ? `${wholeNumber(requestTotal(timeline.data.buckets))} requests` : 'Requests'}
        description="Drag to zoom in."
        busy={timeline.isPlaceholderData}
        actions={
          search.gte || search.lte ? (
            <Button variant="default" onClick={() => onChange({ gte: undefined, lte: undefined })}>
              Back to the last 24 hours
            </Button>
          ) : null
        }
      >
        <RequestTimeline
          timeline={timeline}
          label="Requests over time"
          height={150}
          onWindow={(gte, lte) => onChange({ gte, lte })}
        />
      </Panel>
      <div className={classes.split}>
        <FacetList
          filters={filters}
          search={search}
          ready={!timeline.isPending && !timeline.isPlaceholderData}
          onChange={onChange}
        />
        <RequestTable
          requests={log.requests}
          state={log.state}
          busy={log.busy}
          error={log.error}
          onRetry={log.retry}
          onEnd={log.more}
          hasMore={log.hasMore}
          opened={search.request}
          onOpen={(request) => onChange({ request })}
        />
      </div>
    </>
  )
}
