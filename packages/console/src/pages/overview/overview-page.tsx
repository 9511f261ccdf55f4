/** The page that stays open all day: what goes through now, what was refused, by whom, and which sites are open. */
import { Button } from '@mantine/core'
import { getRouteApi, Link, Navigate } from '@tanstack/react-router'
import { facetValues, useFacets, useTimeline } from '../../api/analytics-queries.ts'
import { useSites } from '../../api/site-queries.ts'
import { OVERVIEW_FACETS } from '../../app/search.ts'
import { WindowPicker } from '../../design/filter-window.tsx'
import { percent, shortNumber, wholeNumber } from '../../design/number.ts'
import { outcomeSeries, outcomeTotals } from '../../design/outcome-series.ts'
import { Columns, Page, Panel } from '../../design/panel.tsx'
import { Timeline } from '../../design/stacked-timeline.tsx'
import { Stat, Stats } from '../../design/stat.tsx'
import { EmptyState, ErrorState } from '../../design/states.tsx'
import { TimelineSkeleton } from '../../design/timeline-skeleton.tsx'
import { LiveFeed } from './live-feed.tsx'
import { OutcomeLegend } from './outcome-legend.tsx'
import { SitesByState } from './sites-by-state.tsx'
import { TopResearchers, TopRules } from './top-lists.tsx'

const route = getRouteApi('/')
const RULES_SHOWN = 8

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
      <OverviewStats window={window} buckets={buckets} facets={facets.data} openSites={sites.data} />
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
        <TopResearchers window={window} values={facetValues(facets.data, 'hacker')} />
        <TopRules window={window} values={facetValues(facets.data, 'firewallRule').slice(0, RULES_SHOWN)} />
        <SitesByState />
      </Columns>
    </Page>
  )
}

function OverviewStats(props: {
  readonly window: ReturnType<typeof route.useSearch>
  readonly buckets: Parameters<typeof outcomeTotals>[0]
  readonly facets: ReturnType<typeof useFacets>['data']
  readonly openSites: ReturnType<typeof useSites>['data']
}) {
  const { window } = props
  const totals = outcomeTotals(props.buckets)
  const all = Object.values(totals).reduce((sum, count) => sum + count, 0)
  const refused = totals.block + totals.limit + totals.gate
  const active = facetValues(props.facets, 'hacker').filter((one) => one.value !== '').length
  const open = props.openSites?.filter((site) => site.isActive).length ?? 0
  return (
    <Stats>
      <Stat
        label="Requests"
        value={shortNumber(all)}
        link={(content, className) => (
          <Link to="/traffic" search={window} className={className}>
            {content}
          </Link>
        )}
      />
      <Stat
        label="Passed"
        value={shortNumber(totals.origin)}
        note={percent(totals.origin, all)}
        link={(content, className) => (
          <Link to="/traffic" search={{ ...window, outcome: ['origin'] }} className={className}>
            {content}
          </Link>
        )}
      />
      <Stat
        label="Refused"
        value={shortNumber(refused)}
        note={percent(refused, all)}
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
        value={shortNumber(totals.firewall)}
        note={percent(totals.firewall, all)}
        link={(content, className) => (
          <Link to="/traffic" search={{ ...window, outcome: ['firewall'] }} className={className}>
            {content}
          </Link>
        )}
      />
      <Stat
        label="Researchers active"
        value={active === 10 ? '10 or more' : active}
        link={(content, className) => (
          <Link to="/researchers" className={className}>
            {content}
          </Link>
        )}
      />
      <Stat
        label="Sites open"
        value={open}
        note={`of ${props.openSites?.length ?? 0}`}
        link={(content, className) => (
          <Link to="/sites" className={className}>
            {content}
          </Link>
        )}
      />
    </Stats>
  )
}
