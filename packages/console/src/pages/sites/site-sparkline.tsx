import { useTimeline } from '../../api/traffic/analytics-queries.ts'
import { Sparkline } from '../../design/timeline/sparkline.tsx'

/** Requests of a site over the last 24 hours. */
export function SiteSparkline({ siteId }: { readonly siteId: string }) {
  const timeline = useTimeline({ site: [siteId] }, false)
  if (!timeline.data) return null
  return <Sparkline values={timeline.data.buckets.map((bucket) => bucket.total)} />
}
