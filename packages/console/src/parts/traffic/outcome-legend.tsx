import { OUTCOMES, type Outcome } from '@sallyport/contract'
import { Link } from '@tanstack/react-router'
import type { RequestFilters } from '../../api/traffic/request-filters.ts'
import { wholeNumber } from '../../design/number.ts'
import classes from './outcome-legend.module.css'
import { OutcomeMark } from './outcome-mark.tsx'

/** What each colour means and how often it happened, each number leading to its requests. */
export function OutcomeLegend(props: {
  readonly totals: Readonly<Record<Outcome, number>>
  readonly window: RequestFilters
}) {
  return (
    <div className={classes.legend}>
      {OUTCOMES.filter((outcome) => props.totals[outcome] > 0).map((outcome) => (
        <Link
          key={outcome}
          to="/traffic"
          search={{ ...props.window, outcome: [outcome] }}
          className={classes.legendItem}
        >
          <OutcomeMark outcome={outcome} />
          <strong>{wholeNumber(props.totals[outcome])}</strong>
        </Link>
      ))}
    </div>
  )
}
