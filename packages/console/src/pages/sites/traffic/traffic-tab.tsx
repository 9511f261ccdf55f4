import type { Site } from '@sallyport/contract'
import { Link, useNavigate } from '@tanstack/react-router'
import { useTimeline } from '../../../api/traffic/analytics-queries.ts'
import { EmptyState } from '../../../design/feedback/states.tsx'
import { Panel } from '../../../design/page/panel.tsx'
import { wholeNumber } from '../../../language/number.ts'
import { requestTotal } from '../../../parts/traffic/outcome-series.ts'
import { RequestTimeline } from '../../../parts/traffic/request-timeline.tsx'
import { OutsideHosts } from './outside-hosts.tsx'
import { SummaryTable } from './summary-table.tsx'
import { texts } from './texts.ts'

/** The last 24 hours of a site, and its URLs. */
export function TrafficTab({ site }: { readonly site: Site }) {
  const navigate = useNavigate()
  const timeline = useTimeline({ site: [site.id] })
  return (
    <>
      <Panel
        title={texts.last24Hours}
        actions={
          <Link to="/traffic" search={{ site: [site.id] }}>
            {texts.bucketsRequests(
              timeline.data ? wholeNumber(requestTotal(timeline.data.buckets)) : texts.all,
            )}
          </Link>
        }
      >
        <RequestTimeline
          timeline={timeline}
          canRetry={false}
          label={texts.requestsOfOver(site.gatedName)}
          legend={{ site: [site.id] }}
          empty={<EmptyState icon="traffic" title={texts.noRequestsIn} />}
          onWindow={(gte, lte) => void navigate({ to: '/traffic', search: { site: [site.id], gte, lte } })}
        />
      </Panel>
      <OutsideHosts site={site} />
      <SummaryTable site={site} />
    </>
  )
}
