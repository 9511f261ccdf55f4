import type { Site } from '@sallyport/contract'
import { Link, useNavigate } from '@tanstack/react-router'
import { useTimeline } from '../../../api/traffic/analytics-queries.ts'
import { EmptyState, ErrorState } from '../../../design/feedback/states.tsx'
import { wholeNumber } from '../../../design/number.ts'
import { Panel } from '../../../design/page/panel.tsx'
import { Timeline } from '../../../design/timeline/timeline.tsx'
import { TimelineSkeleton } from '../../../design/timeline/timeline-skeleton.tsx'
import { outcomeSeries } from '../../../parts/traffic/outcome-series.ts'
import { SummaryTable } from './summary-table.tsx'

/** The last 24 hours of a site, and its URLs. */
export function TrafficTab({ site }: { readonly site: Site }) {
  const navigate = useNavigate()
  const timeline = useTimeline({ site: [site.id] })
  const total = timeline.data?.buckets.reduce((sum, one) => sum + one.total, 0) ?? 0
  return (
    <>
      <Panel
        title="Last 24 hours"
        actions={
          <Link to="/traffic" search={{ site: [site.id] }}>
            {timeline.data ? wholeNumber(total) : 'All'} requests
          </Link>
        }
      >
        {timeline.isPending ? <TimelineSkeleton /> : null}
        {timeline.error ? <ErrorState error={timeline.error} /> : null}
        {timeline.data && total === 0 ? (
          <EmptyState icon="traffic" title="No request in the last 24 hours" />
        ) : null}
        {timeline.data && total > 0 ? (
          <Timeline
            times={timeline.data.buckets.map((bucket) => bucket.time)}
            series={outcomeSeries(timeline.data.buckets)}
            label={`Requests of ${site.gatedName} over the last 24 hours: ${wholeNumber(total)} in all.`}
            onWindow={(gte, lte) => void navigate({ to: '/traffic', search: { site: [site.id], gte, lte } })}
          />
        ) : null}
      </Panel>
      <SummaryTable site={site} />
    </>
  )
}
