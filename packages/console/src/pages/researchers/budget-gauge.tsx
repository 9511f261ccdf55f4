import classes from './budget-gauge.module.css'
import { texts } from './texts.ts'

const NEARLY = 0.8

/** How much of a limit is used, as a gauge and in words. What is not known is said, and never drawn as nothing used. */
export function BudgetGauge(props: {
  readonly label: string
  readonly used: number | undefined
  readonly limit: number
}) {
  const { label, used, limit } = props
  if (used === undefined) return <span className="soft">{texts.notKnown}</span>
  const share = Math.min(used / limit, 1)
  return (
    <span className={classes.gauge}>
      <meter
        className={classes.meter}
        aria-label={label}
        min={0}
        max={limit}
        value={Math.min(used, limit)}
        data-nearly={share >= NEARLY}
      />
      <span className="tabular">{texts.of(used, limit)}</span>
    </span>
  )
}
