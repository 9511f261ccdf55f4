import { Button } from '@mantine/core'
import { useMemo } from 'react'
import { useTimeline } from '../../api/traffic/analytics-queries.ts'
import { useRequestLog } from '../../api/traffic/request-queries.ts'
import { Panel } from '../../design/page/panel.tsx'
import { requestTotal } from '../../parts/traffic/outcome-series.ts'
import { RequestTimeline } from '../../parts/traffic/request-timeline.tsx'
import { filtersOf, type SearchProps } from '../../parts/traffic/search.ts'
import { FacetList } from './facet-list.tsx'
import { GroupChoice } from './group-choice.tsx'
import { GroupTable } from './group-table.tsx'
import { LiveTable } from './live-table.tsx'
import { RequestWorkspace } from './request/request-workspace.tsx'
import { texts } from './texts.ts'
import classes from './traffic.module.css'

/** The requests of a window over time, by counted values, and one by one: from the log, or live as they come. */
export function WindowPanels({ search, onChange }: SearchProps) {
  const filters = useMemo(() => filtersOf(search), [search])
  const timeline = useTimeline(filters, true)
  const facets = (
    <FacetList
      filters={filters}
      ready={!timeline.isPending && !timeline.isPlaceholderData}
      onChange={onChange}
    />
  )
  return (
    <>
      <Panel
        title={timeline.data ? texts.bucketsRequests(requestTotal(timeline.data.buckets)) : texts.requests}
        description={texts.dragToZoom}
        busy={timeline.isPlaceholderData}
        actions={
          search.gte || search.lte ? (
            <Button variant="default" onClick={() => onChange({ gte: undefined, lte: undefined })}>
              {texts.backToTheLast}
            </Button>
          ) : null
        }
      >
        <RequestTimeline
          timeline={timeline}
          label={texts.requestsOverTime}
          height={150}
          legend={search}
          compares={filters}
          // What is looked at more closely is no longer what comes.
          onWindow={(gte, lte) => onChange({ gte, lte, live: undefined })}
        />
      </Panel>
      {search.group && !search.live ? (
        <div className={classes.split}>
          {facets}
          <GroupTable field={search.group} filters={filters} search={search} onChange={onChange} />
        </div>
      ) : search.live ? (
        <LiveTable facets={facets} search={search} onChange={onChange} />
      ) : (
        <LogTable facets={facets} filters={filters} search={search} onChange={onChange} />
      )}
    </>
  )
}

function LogTable(
  props: Pick<Parameters<typeof RequestWorkspace>[0], 'facets' | 'search' | 'onChange'> & {
    readonly filters: ReturnType<typeof filtersOf>
  },
) {
  const { filters, ...parts } = props
  const log = useRequestLog(filters)
  return (
    <RequestWorkspace
      {...parts}
      head={<GroupChoice search={parts.search} onChange={parts.onChange} />}
      requests={log.requests}
      state={log.state}
      busy={log.busy}
      error={log.error}
      onRetry={log.retry}
      onEnd={log.more}
      hasMore={log.hasMore}
    />
  )
}
