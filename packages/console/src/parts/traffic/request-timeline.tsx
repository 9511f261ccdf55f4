import type { ReactNode } from 'react'
import type { useTimeline } from '../../api/traffic/analytics-queries.ts'
import type { RequestFilters } from '../../api/traffic/request-filters.ts'
import { QueryState } from '../../design/feedback/states.tsx'
import { wholeNumber } from '../../design/number.ts'
import { TIMELINE_HEIGHT, Timeline, TimelineSkeleton } from '../../design/timeline/timeline.tsx'
import { OutcomeLegend } from './outcome-mark.tsx'
import { outcomeSeries, outcomeTotals, requestTotal } from './outcome-series.ts'

/** Requests over time, by who answered them. */
export function RequestTimeline(props: {
  readonly timeline: ReturnType<typeof useTimeline>
  /** What the chart shows; how many requests these are is added to it. */
  readonly label: string
  readonly height?: number
  readonly canRetry?: boolean
  /** Shown instead of the chart where there is no request; without it the empty chart is drawn. */
  readonly empty?: ReactNode
  /** Filters of the requests that are shown: adds a legend, each entry of which leads to its requests. */
  readonly legend?: RequestFilters
  /** A drag over the chart, or the keyboard, chose this window. */
  readonly onWindow: (gte: string, lte: string) => void
}) {
  const { timeline, height = TIMELINE_HEIGHT, canRetry = true, empty, legend } = props
  const buckets = timeline.data?.buckets
  const total = requestTotal(buckets)
  return (
    <>
      <QueryState query={timeline} canRetry={canRetry} loading={<TimelineSkeleton height={height} />} />
      {buckets && total === 0 ? empty : null}
      {buckets && (total > 0 || !empty) ? (
        <>
          <Timeline
            times={buckets.map((bucket) => bucket.time)}
            series={outcomeSeries(buckets)}
            label={`${props.label}: ${wholeNumber(total)} in all.`}
            height={height}
            onWindow={props.onWindow}
          />
          {legend ? <OutcomeLegend totals={outcomeTotals(buckets)} window={legend} /> : null}
        </>
      ) : null}
    </>
  )
}
