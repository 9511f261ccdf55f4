import { Link, useNavigate } from '@tanstack/react-router'
import { useTimeline } from '../../../api/traffic/analytics-queries.ts'
import type { TimeWindow } from '../../../api/traffic/request-filters.ts'
import { EmptyState } from '../../../design/feedback/states.tsx'
import { wholeNumber } from '../../../design/number.ts'
import { Panel } from '../../../design/page/panel.tsx'
import { requestTotal } from '../../../parts/traffic/outcome-series.ts'
import { RequestTimeline } from '../../../parts/traffic/request-timeline.tsx'
import type { TrafficSearch } from '../../../parts/traffic/search.ts'

/** What a researcher sent over time, by who answered. */
export function Activity(props: { readonly researcherId: string; readonly window: TimeWindow }) {
  const navigate = useNavigate()
  const search: TrafficSearch = { ...props.window, hacker: [props.researcherId] }
  const timeline = useTimeline(search)
  return (
    <Panel
      title="Activity"
      actions={
        <Link to="/traffic" search={search}>
          {timeline.data ? wholeNumber(requestTotal(timeline.data.buckets)) : 'All'} requests
        </Link>
      }
    >
      <RequestTimeline
        timeline={timeline}
        label="Requests of this researcher"
        height={160}
        empty={<EmptyState icon="traffic" title="No requests in this window" />}
        legend={search}
        onWindow={(gte, lte) => void navigate({ to: '/traffic', search: { ...search, gte, lte } })}
      />
    </Panel>
  )
}
