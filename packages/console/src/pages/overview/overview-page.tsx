/** The page that stays open all day: what goes through now, what was refused, by whom, and which sites are open. */
import { Button } from '@mantine/core'
import { getRouteApi, Link, Navigate } from '@tanstack/react-router'
import { useSites } from '../../api/queries/site-queries.ts'
import { useFacets, useTimeline } from '../../api/traffic/analytics-queries.ts'
import { EmptyState } from '../../design/feedback/states.tsx'
import { Columns, Page, Panel } from '../../design/page/panel.tsx'
import { WindowPicker } from '../../design/time/window-picker.tsx'
import { RequestTimeline } from '../../parts/traffic/request-timeline.tsx'
import { LiveFeed } from './live-feed.tsx'
import { OverviewStats } from './overview-stats.tsx'
import { OVERVIEW_FACETS } from './prefetch.ts'
import { SitesByState } from './sites-by-state.tsx'
import { TopResearchers, TopRules } from './top-lists.tsx'

const route = getRouteApi('/')

export function OverviewPage() {
  const window = route.useSearch()
  const navigate = route.useNavigate()
  const sites = useSites()
  const timeline = useTimeline(window)
  const facets = useFacets(window, OVERVIEW_FACETS)
  if (sites.data?.length === 0) return <Navigate to="/setup" replace />
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
          <RequestTimeline
            timeline={timeline}
            label="Requests over time"
            height={230}
            empty={<NoRequest />}
            legend={window}
            compares={window}
            onWindow={(gte, lte) => void navigate({ to: '/traffic', search: { gte, lte } })}
          />
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

function NoRequest() {
  return (
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
  )
}
