/** The page that stays open all day: what goes through now, what was refused, by whom, and which sites are open. */
import { Button } from '@mantine/core'
import { getRouteApi, Link, Navigate } from '@tanstack/react-router'
import { useSites } from '../../api/queries/site-queries.ts'
import { facetValues, useFacets, useTimeline } from '../../api/traffic/analytics-queries.ts'
import { EmptyState, ErrorState } from '../../design/feedback/states.tsx'
import { percent, shortNumber, wholeNumber } from '../../design/number.ts'
import { Columns, Page, Panel } from '../../design/page/panel.tsx'
import { Stat, Stats } from '../../design/table/stat.tsx'
import { WindowPicker } from '../../design/time/window-picker.tsx'
import { Timeline } from '../../design/timeline/timeline.tsx'
import { TimelineSkeleton } from '../../design/timeline/timeline-skeleton.tsx'
import { OutcomeLegend } from '../../parts/traffic/outcome-legend.tsx'
import { outcomeSeries, outcomeTotals } from '../../parts/traffic/outcome-series.ts'
import { OVERVIEW_FACETS } from '../../parts/traffic/search.ts'
import { LiveFeed } from './live-feed.tsx'
import { SitesByState } from './sites-by-state.tsx'
import { TopResearchers, TopRules } from './top-lists.tsx'

const route = getRouteApi('/')
/** Stands for a number until it is known. */
const UNKNOWN = '–'

export function OverviewPage() {
  const window = route.useSearch()
  const navigate = route.useNavigate()
  const sites = useSites()
  const timeline = useTimeline(window)
  const facets = useFacets(window, OVERVIEW_FACETS)
  if (sites.data?.length === 0) return <Navigate to="/setup" replace />
  const buckets = timeline.data?.buckets ?? []
  const toWindow = (gte: string, lte: string) => void navigate({ to: '/traffic', search: { gte, lte } })
  return (
    <Page
      title="Overview"
      actions={<WindowPicker value={window} onChange={(chosen) => void navigate({ search: chosen })} />}
    >
      <OverviewStats
        window={window}
        buckets={timeline.data?.buckets}
        facets={facets.data}
        sites={sites.data}
      />
      <Columns fit="wide">
        <Panel
          title="Requests by who answered"
          description="Drag over the chart to see the requests behind it."
        >
          {timeline.isPending ? <TimelineSkeleton height={230} /> : null}
          {timeline.error ? (
            <ErrorState error={timeline.error} onRetry={() => void timeline.refetch()} />
          ) : null}
          {timeline.data?.buckets.every((bucket) => bucket.total === 0) ? (
            <EmptyState
              icon="traffic"
              title="No request in this window"
              action={
                <Button variant="default" renderRoot={(props) => <Link to="/researchers" {...props} />}>
                  Invite a researcher
                </Button>
              }
            >
              Every request through the gate shows here within two seconds, refused ones included.
            </EmptyState>
          ) : null}
          {buckets.some((bucket) => bucket.total > 0) ? (
            <>
              <Timeline
                times={buckets.map((bucket) => bucket.time)}
                series={outcomeSeries(buckets)}
                label={`Requests over time: ${wholeNumber(buckets.reduce((sum, one) => sum + one.total, 0))} in all.`}
                height={230}
                onWindow={toWindow}
              />
              <OutcomeLegend totals={outcomeTotals(buckets)} window={window} />
            </>
          ) : null}
        </Panel>
        <LiveFeed />
      </Columns>
      <Columns fit="three">
        <TopResearchers window={window} facets={facets} />
        <TopRules window={window} facets={facets} />
        <SitesByState />
      </Columns>
    </Page>
  )
}

function OverviewStats(props: {
  readonly window: ReturnType<typeof route.useSearch>
  readonly buckets: Parameters<typeof outcomeTotals>[0] | undefined
  readonly facets: ReturnType<typeof useFacets>['data']
  readonly sites: ReturnType<typeof useSites>['data']
}) {
  const { window, buckets, sites } = props
  const totals = outcomeTotals(buckets ?? [])
  const all = Object.values(totals).reduce((sum, count) => sum + count, 0)
  const refused = totals.block + totals.limit + totals.gate
  const active = facetValues(props.facets, 'hacker').filter((one) => one.value !== '').length
  const open = sites?.filter((site) => site.isActive).length
  const count = (requests: number) => (buckets ? shortNumber(requests) : UNKNOWN)
  const share = (requests: number) => (buckets ? percent(requests, all) : undefined)
  return (
    <Stats>
      <Stat
        label="Requests"
        value={count(all)}
        link={(content, className) => (
          <Link to="/traffic" search={window} className={className}>
            {content}
          </Link>
        )}
      />
      <Stat
        label="Passed"
        value={count(totals.origin)}
        note={share(totals.origin)}
        link={(content, className) => (
          <Link to="/traffic" search={{ ...window, outcome: ['origin'] }} className={className}>
            {content}
          </Link>
        )}
      />
      <Stat
        label="Refused"
        value={count(refused)}
        note={share(refused)}
        link={(content, className) => (
          <Link
            to="/traffic"
            search={{ ...window, outcome: ['block', 'limit', 'gate'] }}
            className={className}
          >
            {content}
          </Link>
        )}
      />
      <Stat
        label="Refused by firewall"
        value={count(totals.firewall)}
        note={share(totals.firewall)}
        link={(content, className) => (
          <Link to="/traffic" search={{ ...window, outcome: ['firewall'] }} className={className}>
            {content}
          </Link>
        )}
      />
      <Stat
        label="Researchers active"
        value={props.facets ? (active === 10 ? '10 or more' : active) : UNKNOWN}
        link={(content, className) => (
          <Link to="/researchers" className={className}>
            {content}
          </Link>
        )}
      />
      <Stat
        label="Sites open"
        value={open ?? UNKNOWN}
        note={sites ? `of ${sites.length}` : undefined}
        link={(content, className) => (
          <Link to="/sites" className={className}>
            {content}
          </Link>
        )}
      />
    </Stats>
  )
}
