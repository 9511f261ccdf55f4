/** Charts load with the first page that draws one. */
import { lazy, Suspense } from 'react'
import type { StackedTimelineProps } from './stacked-timeline.tsx'
import { LoadingState } from './states.tsx'

const Drawn = lazy(() => import('./stacked-timeline.tsx'))

export function Timeline(props: StackedTimelineProps) {
  return (
    <Suspense fallback={<LoadingState label="Loading the chart…" />}>
      <Drawn {...props} />
    </Suspense>
  )
}
