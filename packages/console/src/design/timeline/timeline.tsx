/**
 * Stacked bars over time: hovered, or walked through by arrow keys, they say their counts; a drag, or Shift with the
 * arrows and Enter, chooses a window. Drawn as one SVG path a series, and coloured by the custom properties of the
 * design, so that a change of theme or size costs nothing. Names are text nodes: a hostile name stays a name.
 */
import { useElementSize } from '@mantine/hooks'
import { useMemo } from 'react'
import { shortNumber } from '../../language/number.ts'
import { zoneOffsetMs } from '../time/local-time.ts'
import { useTime } from '../time/time.tsx'
import { texts } from './texts.ts'
import classes from './timeline.module.css'
import { type TimelineFlag, TimelineFlags } from './timeline-flags.tsx'
import type { TimelinePoint, TimelineSeries } from './timeline-scale.ts'
import { barPaths, labelledBuckets, linePoints, momentAt, valueTicks } from './timeline-scale.ts'
import { TimelineTip } from './timeline-tip.tsx'
import { useTimelineChoice } from './use-timeline-choice.ts'

export interface TimelineProps {
  /** Starts of the buckets, ISO 8601. */
  readonly times: readonly string[]
  readonly series: readonly TimelineSeries[]
  /** What the chart shows, for those who do not see it. */
  readonly label: string
  readonly height?: number
  /** Totals of the period before, moved into this one: a dashed line. */
  readonly before?: readonly TimelinePoint[] | undefined
  /** What happened at moments of the window. */
  readonly flags?: readonly TimelineFlag[]
  /** A drag over the chart, or the keyboard, chose this window. */
  readonly onWindow?: (gte: string, lte: string) => void
}

export const TIMELINE_HEIGHT = 200
const MARGIN = { left: 44, right: 8, top: 8, bottom: 22 }
const LABEL_HALF_PIXELS = 18
const MINUTE_MS = 60_000
const DAY_MS = 86_400_000

export function Timeline(props: TimelineProps) {
  const { times, series, before = NO_POINTS, height = TIMELINE_HEIGHT } = props
  const { ref, width } = useElementSize()
  const starts = useMemo(() => times.map((time) => Date.parse(time)), [times])
  const plot = {
    left: MARGIN.left,
    width: Math.max(width - MARGIN.left - MARGIN.right, 0),
    bottom: height - MARGIN.bottom,
    height: height - MARGIN.top - MARGIN.bottom,
  }
  const choice = useTimelineChoice({ starts, left: plot.left, width: plot.width, onWindow: props.onWindow })
  const slot = plot.width / Math.max(times.length, 1)
  const { marked } = choice
  return (
    <div className={classes.frame} ref={ref} style={{ height }}>
      {/* biome-ignore lint/a11y/useSemanticElements: a group of form fields is not what this is */}
      <div
        className={classes.plot}
        role="group"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: arrow keys walk through the buckets
        tabIndex={0}
        aria-label={texts.arrowKeysWalkThrough(props.label)}
        data-drags={props.onWindow !== undefined}
        {...choice.handlers}
      >
        {width > 0 ? (
          <svg aria-hidden="true" width={width} height={height}>
            {marked ? (
              <rect
                className={classes.marked}
                data-chosen={marked.first !== marked.last}
                x={plot.left + marked.first * slot}
                y={MARGIN.top}
                width={(marked.last - marked.first + 1) * slot}
                height={plot.height}
              />
            ) : null}
            <Drawing times={times} starts={starts} series={series} before={before} plot={plot} />
          </svg>
        ) : null}
        {marked ? (
          <TimelineTip
            times={times}
            series={series}
            before={before}
            marked={marked}
            slot={slot}
            left={plot.left}
            width={width}
          />
        ) : null}
      </div>
      {props.flags && width > 0 ? (
        <TimelineFlags flags={props.flags} starts={starts} plot={plot} onWindow={props.onWindow} />
      ) : null}
    </div>
  )
}

const NO_POINTS: readonly TimelinePoint[] = []

function Drawing(props: {
  readonly times: readonly string[]
  readonly starts: readonly number[]
  readonly series: readonly TimelineSeries[]
  readonly before: readonly TimelinePoint[]
  readonly plot: {
    readonly left: number
    readonly width: number
    readonly bottom: number
    readonly height: number
  }
}) {
  const { starts, series, before, plot } = props
  const { zone, ...time } = useTime()
  const { left, width, bottom, height } = plot
  const drawn = useMemo(() => {
    const totals = starts.map((_, index) => series.reduce((sum, one) => sum + (one.values[index] ?? 0), 0))
    const ticks = valueTicks(Math.max(...totals, ...before.map(({ value }) => value), 1), height)
    const top = ticks.at(-1) ?? 1
    const values = series.map((one) => one.values)
    const frame = { left, width, bottom, height, top }
    return {
      ticks: ticks.map((value) => {
        const y = Math.round(bottom - (value / top) * height) + 0.5
        return { words: shortNumber(value, top), y }
      }),
      paths: barPaths(values, frame),
      line: linePoints(before, starts, frame),
      labels: labelledBuckets(starts, width, (start) => zoneOffsetMs(start, zone)),
    }
  }, [starts, series, before, left, width, bottom, height, zone])
  const slot = width / Math.max(starts.length, 1)
  return (
    <>
      {drawn.ticks.map(({ words, y }) => (
        <g key={words}>
          <line className={classes.line} x1={left} x2={left + width} y1={y} y2={y} />
          <text className={classes.value} x={left - 8} y={y + 4}>
            {words}
          </text>
        </g>
      ))}
      {series.map((one, index) => (
        <path key={one.name} d={drawn.paths[index]} fill={one.colour} />
      ))}
      {drawn.line ? <polyline className={classes.before} points={drawn.line} /> : null}
      {drawn.labels.map((place) => {
        const x = left + place * slot
        if (x > left + width - LABEL_HALF_PIXELS) return null
        const start = momentAt(starts, place)
        const isMidnight = (start + zoneOffsetMs(start, zone)) % DAY_MS === 0
        return (
          <text key={place} className={classes.time} x={x} y={bottom + 16}>
            {isMidnight
              ? time.date(start)
              : start % MINUTE_MS === 0
                ? time.minute(start)
                : time.second(start)}
          </text>
        )
      })}
    </>
  )
}

const HEIGHTS = [34, 52, 40, 66, 58, 74, 46, 62, 80, 55, 44, 70, 60, 38, 50, 64, 48, 72, 57, 42]

/** Stands where a timeline will be, as large as it, so that nothing jumps when it comes. */
export function TimelineSkeleton({ height = TIMELINE_HEIGHT }: { readonly height?: number }) {
  return (
    <div className={classes.skeleton} style={{ height }} role="status">
      <span className="visually-hidden">{texts.loading}</span>
      {HEIGHTS.map((percent) => (
        <span key={percent} aria-hidden="true" style={{ height: `${percent}%` }} />
      ))}
    </div>
  )
}
