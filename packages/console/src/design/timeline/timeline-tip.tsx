import { wholeNumber } from '../number.ts'
import { useTime } from '../time/time.tsx'
import classes from './timeline.module.css'
import type { TimelineSeries } from './timeline-scale.ts'
import type { Marked } from './use-timeline-choice.ts'

/** Counts of the bucket under the pointer, or of the buckets chosen. Screen readers announce it as it changes. */
export function TimelineTip(props: {
  readonly times: readonly string[]
  readonly series: readonly TimelineSeries[]
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
  const side =
    middle > props.width / 2
      ? { right: props.width - props.left - marked.first * props.slot + 8 }
      : { left: props.left + (marked.last + 1) * props.slot + 8 }
  const from = time.short(times[marked.first] ?? '')
  return (
    <div className={classes.tip} style={side} role="status">
      <strong>
        {marked.first === marked.last ? from : `${from} to ${time.short(times[marked.last] ?? '')}`}
      </strong>
      {counts.map((one) => (
        <div key={one.name} className={classes.tipRow}>
          <span className={classes.tipColour} style={{ background: `var(${one.colour})` }} />
          <span className="clip">{one.name}</span>
          <span className="tabular">{wholeNumber(one.count)}</span>
        </div>
      ))}
      {counts.length === 0 ? <span className="soft">None</span> : null}
    </div>
  )
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0)
