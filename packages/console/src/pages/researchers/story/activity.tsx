import { Link, useNavigate } from '@tanstack/react-router'
import { useTimeline } from '../../../api/traffic/analytics-queries.ts'
import type { TimeWindow } from '../../../api/traffic/request-filters.ts'
import { EmptyState } from '../../../design/feedback/states.tsx'
import { Panel } from '../../../design/page/panel.tsx'
import { wholeNumber } from '../../../language/number.ts'
import { requestTotal } from '../../../parts/traffic/outcome-series.ts'
import { RequestTimeline } from '../../../parts/traffic/request-timeline.tsx'
import type { TrafficSearch } from '../../../parts/traffic/search.ts'
import { texts } from './texts.ts'

/** What a researcher sent over time, by who answered. */
export function Activity(props: { readonly researcherId: string; readonly window: TimeWindow }) {
  const navigate = useNavigate()
  const search: TrafficSearch = { ...props.window, hacker: [props.researcherId] }
  const timeline = useTimeline(search)
  return (
    <Panel
      title={texts.activity}
      actions={
        <Link to="/traffic" search={search}>
          {texts.bucketsRequests(
            timeline.data ? wholeNumber(requestTotal(timeline.data.buckets)) : texts.all,
          )}
        </Link>
      }
    >
      <RequestTimeline
        timeline={timeline}
        label={texts.requestsOfThisResearcher}
        height={160}
        empty={<EmptyState icon="traffic" title={texts.noRequestsInThisWindow} />}
        legend={search}
        onWindow={(gte, lte) => void navigate({ to: '/traffic', search: { ...search, gte, lte } })}
      />
    </Panel>
  )
}
