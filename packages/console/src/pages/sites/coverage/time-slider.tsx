/** Moves the end of the window through the time of the test, so that coverage is seen to grow. */
import { useId, useState } from 'react'
import { serverNow } from '../../../api/server-clock.ts'
import { useTime } from '../../../design/time/time.tsx'
import classes from '../../../parts/coverage/coverage.module.css'
import { texts } from './texts.ts'

const STEPS = 48
const DAY_MS = 86_400_000
const UNITS_MS: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000 }

/** The instant of `now-30d` and the like, or of ISO 8601. */
function instantOf(moment: string, nowMs: number): number {
  const [, count, unit = ''] = /^now-(\d+)([mhd])$/.exec(moment) ?? []
  return count === undefined ? Date.parse(moment) : nowMs - Number(count) * (UNITS_MS[unit] ?? 0)
}

export function TimeSlider(props: {
  readonly gte: string
  readonly lte: string | undefined
  /** The chosen end; undefined where it is that of the window. */
  readonly value: string | undefined
  readonly onChange: (until: string | undefined) => void
}) {
  const id = useId()
  const time = useTime()
  const [nowMs] = useState(serverNow)
  const [step, setStep] = useState(STEPS)
  const fromMs = instantOf(props.gte, nowMs)
  const toMs = props.lte ? instantOf(props.lte, nowMs) : nowMs
  /** Through a window of weeks by whole days, which are counted sooner than parts of them. */
  const isByDays = toMs - fromMs >= 7 * DAY_MS
  const steps = isByDays ? Math.min(STEPS, Math.floor((toMs - fromMs) / DAY_MS)) : STEPS
  const atStep = (at: number): string => {
    const instant = fromMs + ((toMs - fromMs) * at) / steps
    return new Date(isByDays ? Math.floor(instant / DAY_MS) * DAY_MS - 1 : instant).toISOString()
  }
  if (!(fromMs < toMs)) return null
  const shown = props.value === undefined ? steps : step
  const choose = (at: number) => {
    setStep(at)
    props.onChange(at === steps ? undefined : atStep(at))
  }
  const words = shown === steps ? (props.lte ? time.short(props.lte) : 'now') : time.short(atStep(shown))
  return (
    <div className={classes.slider}>
      <label htmlFor={id}>{texts.until}</label>
      <input
        id={id}
        type="range"
        min={1}
        max={steps}
        value={shown}
        aria-valuetext={words}
        onChange={(event) => choose(Number(event.currentTarget.value))}
      />
      <span className="tabular soft">{words}</span>
    </div>
  )
}
