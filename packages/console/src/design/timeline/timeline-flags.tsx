/** What people did, at its moment in a timeline: who and what on hover or focus; a click opens both sides of the moment. */
import { Tooltip } from '@mantine/core'
import { isolated } from '../isolated.ts'
import { useTime } from '../time/time.tsx'
import { texts } from './texts.ts'
import classes from './timeline.module.css'
import { bucketMs, placeMoments } from './timeline-scale.ts'

export interface TimelineFlag {
  /** Milliseconds since the epoch. */
  readonly at: number
  readonly who: string
  readonly what: string
}

const APART_PIXELS = 24
const SHOWN_MAX = 6
/** How much of the window each side of a moment is shown, and at least. */
const SIDE_SHARE = 1 / 12
const SIDE_MS_MIN = 30_000

export function TimelineFlags(props: {
  readonly flags: readonly TimelineFlag[]
  readonly starts: readonly number[]
  readonly plot: { readonly left: number; readonly width: number }
  readonly onWindow: ((gte: string, lte: string) => void) | undefined
}) {
  const { starts, onWindow } = props
  const time = useTime()
  const sideMs = Math.max(bucketMs(starts) * starts.length * SIDE_SHARE, SIDE_MS_MIN)
  const words = ({ at, who, what }: TimelineFlag) => `${time.exact(at)}: ${isolated(who)}: ${isolated(what)}`
  return placeMoments(props.flags, starts, props.plot, APART_PIXELS).map(({ x, moments }) => {
    const [first, last] = [moments[0], moments.at(-1)]
    if (!first || !last) return null
    const lines = moments.slice(0, SHOWN_MAX).map(words)
    if (moments.length > SHOWN_MAX) lines.push(texts.andMore(moments.length - SHOWN_MAX))
    return (
      <Tooltip
        key={first.at}
        multiline
        maw={420}
        openDelay={0}
        events={{ hover: true, focus: true, touch: true }}
        label={lines.map((line, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: two of them may say the same
          <div key={index}>{line}</div>
        ))}
      >
        <button
          type="button"
          className={classes.flag}
          style={{ left: x }}
          aria-label={lines.join('; ')}
          onClick={() =>
            onWindow?.(new Date(first.at - sideMs).toISOString(), new Date(last.at + sideMs).toISOString())
          }
        >
          <span className={classes.flagMark} />
        </button>
      </Tooltip>
    )
  })
}
