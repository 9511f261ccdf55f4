import { Checkbox } from '@mantine/core'
import { useLocalStorage } from '@mantine/hooks'
import type { Outcome } from '@sallyport/contract'
import { type ReactNode, useMemo, useState } from 'react'
import type { useTimeline } from '../../api/traffic/analytics-queries.ts'
import type { RequestFilters } from '../../api/traffic/request-filters.ts'
import type { useSituation } from '../../api/traffic/situation-queries.ts'
import { QueryState } from '../../design/feedback/states.tsx'
import { TIMELINE_HEIGHT, Timeline, TimelineSkeleton } from '../../design/timeline/timeline.tsx'
import { useChangeFlags } from './change-flags.ts'
import { OutcomeLegend } from './outcome-mark.tsx'
import { outcomeSeries, outcomeTotals, requestTotal } from './outcome-series.ts'
import { texts } from './texts.ts'
import { useTimelineBefore } from './timeline-before.ts'

/** A line of the legend and the space above it. */
const LEGEND_PIXELS = 34

/** Requests over time, by who answered them. */
export function RequestTimeline(props: {
  readonly timeline: ReturnType<typeof useTimeline> | ReturnType<typeof useSituation>
  /** What the chart shows; how many requests these are is added to it. */
  readonly label: string
  readonly height?: number
  readonly canRetry?: boolean
  /** Shown instead of the chart where there is no request; without it the empty chart is drawn. */
  readonly empty?: ReactNode
  /** Filters of the requests that are shown: adds a legend, each entry of which leads to its requests. */
  readonly legend?: RequestFilters
  /** Filters of the requests that are shown: adds what people changed meanwhile, and the period before. */
  readonly compares?: RequestFilters
  /** A drag over the chart, or the keyboard, chose this window. */
  readonly onWindow: (gte: string, lte: string) => void
}) {
  const { timeline, height = TIMELINE_HEIGHT, canRetry = true, empty, legend, compares } = props
  const [only, setOnly] = useState<Outcome | null>(null)
  const [isCompared, setCompared] = useLocalStorage<boolean>({
    key: 'sallyport.timeline.before',
    defaultValue: false,
    getInitialValueInEffect: false,
  })
  const buckets = timeline.data?.buckets
  const total = requestTotal(buckets)
  const times = useMemo(() => buckets?.map((bucket) => bucket.time), [buckets])
  const isShown = buckets?.some(({ outcomes }) => only === null || outcomes[only] > 0)
  // What is shown alone may be gone from the window.
  const shown = isShown ? only : null
  const series = useMemo(() => outcomeSeries(buckets ?? [], shown), [buckets, shown])
  const wantsBefore = compares !== undefined && isCompared === true
  const before = useTimelineBefore(compares ?? NO_FILTERS, timeline.data, wantsBefore)
  const flags = useChangeFlags(compares && timeline.data?.changes, compares ?? NO_FILTERS)
  return (
    <>
      <QueryState
        query={timeline}
        canRetry={canRetry}
        loading={<TimelineSkeleton height={legend ? height + LEGEND_PIXELS : height} />}
      />
      {buckets && total === 0 ? empty : null}
      {buckets && times && (total > 0 || !empty) ? (
        <>
          <Timeline
            times={times}
            series={series}
            label={texts.inAll(props.label, total)}
            height={height}
            // A part of the requests is not compared with all of them.
            before={shown === null ? before : undefined}
            flags={flags}
            onWindow={props.onWindow}
          />
          {legend ? (
            <OutcomeLegend totals={outcomeTotals(buckets)} window={legend} only={shown} onOnly={setOnly}>
              {compares ? (
                <Checkbox
                  size="xs"
                  label={texts.compareWithThePreviousPeriod}
                  checked={isCompared === true}
                  onChange={(event) => setCompared(event.currentTarget.checked)}
                />
              ) : null}
            </OutcomeLegend>
          ) : null}
        </>
      ) : null}
    </>
  )
}

const NO_FILTERS: RequestFilters = {}
