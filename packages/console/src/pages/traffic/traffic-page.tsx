/**
 * The request log: a timeline to zoom in, facets to include and exclude, a table that stays smooth however long it
 * gets, a live tail, one request in full, and export. All of it is in the address, so any view can be kept and sent.
 */
import { Button, TextInput } from '@mantine/core'
import { getRouteApi } from '@tanstack/react-router'
import { type FormEvent, useMemo, useState } from 'react'
import { useMay } from '../../api/queries/account-queries.ts'
import { useTimeline } from '../../api/traffic/analytics-queries.ts'
import { useLiveTail } from '../../api/traffic/live-tail.ts'
import { useRequestLog } from '../../api/traffic/request-queries.ts'
import { ErrorState } from '../../design/feedback/states.tsx'
import { Icon } from '../../design/icon.tsx'
import { wholeNumber } from '../../design/number.ts'
import { Page, Panel } from '../../design/page/panel.tsx'
import { WindowPicker } from '../../design/time/window-picker.tsx'
import { Timeline } from '../../design/timeline/timeline.tsx'
import { TimelineSkeleton } from '../../design/timeline/timeline-skeleton.tsx'
import { changed } from '../../parts/traffic/filters.ts'
import { outcomeSeries } from '../../parts/traffic/outcome-series.ts'
import { facetBasis, filtersOf, type TrafficSearch } from '../../parts/traffic/search.ts'
import { ExportMenu } from './export/export-menu.tsx'
import { FacetList } from './facet-list.tsx'
import { FilterChips } from './filter-chips.tsx'
import { RequestDrawer } from './request/request-drawer.tsx'
import { RequestTable } from './request/request-table.tsx'
import { SavedViews } from './saved-views.tsx'
import classes from './traffic.module.css'

const route = getRouteApi('/traffic')
const TAIL_KEPT_MAX = 2_000

export function TrafficPage() {
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const mayExport = useMay('traffic:export')
  const set = (part: Partial<TrafficSearch>) => void navigate({ search: changed(search, part) })
  return (
    <Page
      title="Traffic"
      actions={
        <>
          <SearchField value={search.search ?? ''} onSearch={(text) => set({ search: text || undefined })} />
          {search.live ? null : <WindowPicker value={search} onChange={set} />}
          <Button
            variant={search.live ? 'filled' : 'default'}
            aria-pressed={search.live === true}
            leftSection={<Icon name={search.live ? 'pause' : 'play'} size={14} />}
            onClick={() => set({ live: search.live ? undefined : true })}
          >
            {search.live ? 'Stop live' : 'Live'}
          </Button>
          <SavedViews search={search} />
          {mayExport ? <ExportMenu search={search} /> : null}
        </>
      }
    >
      <FilterChips search={search} onChange={set} />
      {search.live ? (
        <LivePanel search={search} onChange={set} />
      ) : (
        <WindowPanels search={search} onChange={set} />
      )}
      {search.request ? (
        <RequestDrawer
          requestId={search.request}
          onClose={() => set({ request: undefined })}
          onFilter={set}
        />
      ) : null}
    </Page>
  )
}

export interface SearchProps {
  readonly search: TrafficSearch
  readonly onChange: (part: Partial<TrafficSearch>) => void
}

function WindowPanels({ search, onChange }: SearchProps) {
  const filters = useMemo(() => filtersOf(search), [search])
  const timeline = useTimeline(filters)
  const log = useRequestLog(filters)
  const buckets = timeline.data?.buckets ?? []
  const total = buckets.reduce((sum, one) => sum + one.total, 0)
  return (
    <>
      <Panel
        title={timeline.data ? `${wholeNumber(total)} requests` : 'Requests'}
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
        {timeline.isPending ? <TimelineSkeleton height={150} /> : null}
        {timeline.error ? (
          <ErrorState error={timeline.error} onRetry={() => void timeline.refetch()} />
        ) : null}
        {timeline.data ? (
          <Timeline
            times={buckets.map((bucket) => bucket.time)}
            series={outcomeSeries(buckets)}
            label={`Requests over time: ${wholeNumber(total)} in all.`}
            height={150}
            onWindow={(gte, lte) => onChange({ gte, lte })}
          />
        ) : null}
      </Panel>
      <div className={classes.split}>
        <FacetList
          search={facetBasis(search)}
          shown={search}
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

function LivePanel({ search, onChange }: SearchProps) {
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

function SearchField({
  value,
  onSearch,
}: {
  readonly value: string
  readonly onSearch: (text: string) => void
}) {
  const [text, setText] = useState(value)
  const [shownFor, setShownFor] = useState(value)
  // The address has another search: a chip was removed, or one went back.
  if (value !== shownFor) {
    setShownFor(value)
    setText(value)
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    onSearch(text)
  }
  return (
    <form onSubmit={submit}>
      <TextInput
        type="search"
        size="xs"
        w={220}
        aria-label="Search target and user agent"
        placeholder="Words in target or user agent"
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
      />
    </form>
  )
}
