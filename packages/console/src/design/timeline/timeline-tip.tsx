import { percent, wholeNumber } from '../../language/number.ts'
import { useTime } from '../time/time.tsx'
import { texts } from './texts.ts'
import classes from './timeline.module.css'
import { bucketEnd, bucketMs, type TimelinePoint, type TimelineSeries } from './timeline-scale.ts'
import type { Marked } from './use-timeline-choice.ts'

const MINUTE_MS = 60_000
/** As in the style sheet. */
const TIP_PIXELS_MAX = 260

/** Counts of the bucket under the pointer, or of the buckets chosen. Screen readers announce it as it changes. */
export function TimelineTip(props: {
  readonly times: readonly string[]
  readonly series: readonly TimelineSeries[]
  readonly before: readonly TimelinePoint[]
  readonly marked: Marked
  /** Pixels of a bucket, of the margin before the first, and of the whole. */
  readonly slot: number
  readonly left: number
  readonly width: number
}) {
  const { marked, times } = props
  const time = useTime()
  const counts = props.series
    .map((one) => ({ ...one, count: sum(one.values.slice(marked.first, marked.last + 1)) }))
    .filter((one) => one.count > 0)
    .reverse()
  const middle = props.left + ((marked.first + marked.last + 1) / 2) * props.slot
  // Beside what is chosen, but within the chart, however much is chosen.
  const within = (pixels: number) => Math.max(Math.min(pixels, props.width - TIP_PIXELS_MAX), 0)
  const side =
    middle > props.width / 2
      ? { right: within(props.width - props.left - marked.first * props.slot + 8) }
      : { left: within(props.left + (marked.last + 1) * props.slot + 8) }
  const starts = times.map((one) => Date.parse(one))
  const spanMs = bucketMs(starts)
  const words = spanMs < MINUTE_MS ? time.exact : time.short
  const [from, until] = [starts[marked.first] ?? 0, bucketEnd(starts, marked.last)]
  const total = sum(counts.map(({ count }) => count))
  const earlier = props.before.filter(({ at }) => at > from - spanMs / 2 && at < until - spanMs / 2)
  return (
    <div className={classes.tip} style={side} role="status">
      <strong>{marked.first === marked.last ? words(from) : texts.to(words(from), words(until))}</strong>
      {counts.map((one) => (
        <div key={one.name} className={classes.tipRow}>
          <span className={classes.tipColour} style={{ background: one.colour }} />
          <span className="clip">{one.name}</span>
          <span className="tabular">{wholeNumber(one.count)}</span>
          <span className="tabular soft">{counts.length > 1 ? percent(one.count, total) : ''}</span>
        </div>
      ))}
      {counts.length > 1 ? (
        <div className={classes.tipRow}>
          <span />
          <span>{texts.total}</span>
          <strong className="tabular">{wholeNumber(total)}</strong>
        </div>
      ) : null}
      {earlier.length > 0 ? (
        <div className={classes.tipRow}>
          <span />
          <span>{texts.previousPeriod}</span>
          <span className="tabular">{wholeNumber(sum(earlier.map(({ value }) => value)))}</span>
        </div>
      ) : null}
      {counts.length === 0 ? <span className="soft">{texts.none}</span> : null}
    </div>
  )
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0)
