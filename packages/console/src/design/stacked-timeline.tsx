/**
 * Stacked bars over time on ECharts, with a drag that chooses a window. Only the parts of ECharts that are used are
 * bundled; text is drawn on canvas, never as markup, so a hostile name in a legend stays a name.
 */

import { useComputedColorScheme } from '@mantine/core'
import { BarChart } from 'echarts/charts'
import { GridComponent, TooltipComponent } from 'echarts/components'
import * as echarts from 'echarts/core'
import { CanvasRenderer } from 'echarts/renderers'
import { type PointerEvent, useEffect, useMemo, useRef, useState } from 'react'
import { wholeNumber } from './number.ts'
import classes from './stacked-timeline.module.css'
import { useTime } from './time.tsx'

echarts.use([BarChart, GridComponent, TooltipComponent, CanvasRenderer])

export interface TimelineSeries {
  readonly name: string
  /** A CSS custom property of the design, for example `--outcome-origin`. */
  readonly colour: string
  readonly values: readonly number[]
}
export interface StackedTimelineProps {
  /** Starts of the buckets, ISO 8601. */
  readonly times: readonly string[]
  readonly series: readonly TimelineSeries[]
  /** What the chart shows, for those who do not see it. */
  readonly label: string
  readonly height?: number
  /** A drag over the chart chose this window. */
  readonly onWindow?: (gte: string, lte: string) => void
}
const GRID = { left: 48, right: 12, top: 10, bottom: 22 }
const DRAG_PIXELS_MIN = 6

export default function StackedTimeline(props: StackedTimelineProps) {
  const { times, series, height = 200 } = props
  const element = useRef<HTMLDivElement>(null)
  const chart = useRef<echarts.ECharts>(null)
  const scheme = useComputedColorScheme()
  const time = useTime()

  useEffect(() => {
    if (!element.current) return
    const drawn = echarts.init(element.current)
    chart.current = drawn
    const observer = new ResizeObserver(() => drawn.resize())
    observer.observe(element.current)
    return () => {
      observer.disconnect()
      drawn.dispose()
    }
  }, [])

  const spanMs = bucketMs(times)
  const words = useMemo(() => (spanMs >= 86_400_000 ? time.day : time.short), [spanMs, time])
  // biome-ignore lint/correctness/useExhaustiveDependencies: the colours are read anew when the scheme changes
  useEffect(() => {
    chart.current?.setOption(optionOf(times, series, words), { notMerge: true })
  }, [times, series, words, scheme])

  const drag = useDrag(times, spanMs, props.onWindow)
  return (
    <div className={classes.frame} {...drag.handlers}>
      <div ref={element} role="img" aria-label={props.label} style={{ height }} />
      {drag.shown ? <div className={classes.drag} style={drag.shown} /> : null}
    </div>
  )
}

const bucketMs = (times: readonly string[]): number =>
  times.length > 1 ? Date.parse(times[1] ?? '') - Date.parse(times[0] ?? '') : 60_000

function colourOf(property: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(property).trim()
}

function optionOf(
  times: readonly string[],
  series: readonly TimelineSeries[],
  words: (instant: string) => string,
): echarts.EChartsCoreOption {
  const soft = colourOf('--text-soft')
  const line = colourOf('--line')
  return {
    animation: false,
    grid: GRID,
    tooltip: {
      trigger: 'axis',
      renderMode: 'richText',
      axisPointer: { type: 'shadow', shadowStyle: { color: line, opacity: 0.5 } },
      backgroundColor: colourOf('--surface-raised'),
      borderColor: line,
      textStyle: { color: colourOf('--text'), fontSize: 12 },
      valueFormatter: (value: unknown) => wholeNumber(Number(value)),
    },
    xAxis: {
      type: 'category',
      data: times.map(words),
      axisLine: { lineStyle: { color: line } },
      axisTick: { show: false },
      axisLabel: { color: soft, fontSize: 11, hideOverlap: true },
    },
    yAxis: {
      type: 'value',
      minInterval: 1,
      axisLabel: { color: soft, fontSize: 11 },
      splitLine: { lineStyle: { color: line } },
    },
    series: series.map((one) => ({
      name: one.name,
      type: 'bar',
      stack: 'all',
      barCategoryGap: '18%',
      data: one.values,
      itemStyle: { color: colourOf(one.colour) },
      emphasis: { disabled: true },
    })),
  }
}

function useDrag(times: readonly string[], spanMs: number, onWindow: StackedTimelineProps['onWindow']) {
  const [drag, setDrag] = useState<{ readonly from: number; readonly to: number } | null>(null)
  if (!onWindow) return { handlers: {}, shown: null }
  const bucketAt = (pixel: number, width: number): number => {
    const share = (pixel - GRID.left) / Math.max(width - GRID.left - GRID.right, 1)
    return Math.min(Math.max(Math.floor(share * times.length), 0), times.length - 1)
  }
  const pixelOf = (event: PointerEvent<HTMLElement>) =>
    event.clientX - event.currentTarget.getBoundingClientRect().left
  const handlers = {
    onPointerDown(event: PointerEvent<HTMLElement>) {
      if (event.button !== 0) return
      event.currentTarget.setPointerCapture(event.pointerId)
      setDrag({ from: pixelOf(event), to: pixelOf(event) })
    },
    onPointerMove(event: PointerEvent<HTMLElement>) {
      if (drag) setDrag({ from: drag.from, to: pixelOf(event) })
    },
    onPointerCancel: () => setDrag(null),
    onPointerUp(event: PointerEvent<HTMLElement>) {
      if (!drag) return
      setDrag(null)
      const [low, high] = [Math.min(drag.from, drag.to), Math.max(drag.from, drag.to)]
      if (high - low < DRAG_PIXELS_MIN) return
      const width = event.currentTarget.clientWidth
      const first = times[bucketAt(low, width)]
      const last = times[bucketAt(high, width)]
      if (first && last) onWindow(first, new Date(Date.parse(last) + spanMs - 1).toISOString())
    },
  }
  const shown =
    drag && Math.abs(drag.to - drag.from) >= DRAG_PIXELS_MIN
      ? { left: Math.min(drag.from, drag.to), width: Math.abs(drag.to - drag.from) }
      : null
  return { handlers, shown }
}
