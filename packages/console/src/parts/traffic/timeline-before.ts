import { keepPreviousData } from '@tanstack/react-query'
import { useApiQuery } from '../../api/api-query.ts'
import type { useTimeline } from '../../api/traffic/analytics-queries.ts'
import { apiFilters, type RequestFilters } from '../../api/traffic/request-filters.ts'
import { bucketMs, type TimelinePoint } from '../../design/timeline/timeline-scale.ts'
import { useTimeZone } from '../../session/time-zone.tsx'

/** Totals of the period of equal length before the buckets of a timeline, moved into it; asked for only where they are wanted. */
export function useTimelineBefore(
  filters: RequestFilters,
  timeline: ReturnType<typeof useTimeline>['data'],
  isWanted: boolean,
): readonly TimelinePoint[] | undefined {
  const { zone } = useTimeZone()
  const starts = timeline?.buckets.map(({ time }) => Date.parse(time)) ?? []
  const [first = 0] = starts
  const lengthMs = bucketMs(starts) * starts.length
  const gte = new Date(first - lengthMs).toISOString()
  const lte = new Date(first - 1).toISOString()
  const interval = timeline?.interval ?? ''
  const before = useApiQuery(
    ['timeline', 'before', filters, gte, interval, zone],
    'analyticsGetTimeline',
    { query: { ...apiFilters(filters), gte, lte, interval, timeZone: zone } },
    { enabled: isWanted && starts.length > 0, placeholderData: keepPreviousData },
  )
  if (!isWanted) return undefined
  return before.data?.buckets.map(({ time, total }) => ({ at: Date.parse(time) + lengthMs, value: total }))
}
