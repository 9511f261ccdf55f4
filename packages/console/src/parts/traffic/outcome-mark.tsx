import { OUTCOMES, type Outcome } from '@sallyport/contract'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { RequestFilters } from '../../api/traffic/request-filters.ts'
import { wholeNumber } from '../../language/number.ts'
import classes from './outcome-mark.module.css'
import { texts } from './texts.ts'

/** Who answered a request, in words. */
export const OUTCOME_WORDS: Readonly<Record<Outcome, string>> = {
  origin: texts.passed,
  block: texts.blockRule,
  limit: texts.rateLimit,
  firewall: texts.firewall,
  gate: texts.gate,
  interrupted: texts.interrupted,
}

/** Who answered a request: a colour and a word. `brief` leaves the word to screen readers. */
export function OutcomeMark(props: { readonly outcome: Outcome; readonly brief?: boolean }) {
  return (
    <span className={classes.mark} title={OUTCOME_WORDS[props.outcome]}>
      <span className={classes.square} data-outcome={props.outcome} />
      <span className={props.brief ? 'visually-hidden' : undefined}>{OUTCOME_WORDS[props.outcome]}</span>
    </span>
  )
}

/**
 * What each colour means and how often it happened, each number leading to its requests. A click on a colour shows it alone, and
 * another one all of them.
 */
export function OutcomeLegend(props: {
  readonly totals: Readonly<Record<Outcome, number>>
  readonly window: RequestFilters
  readonly only: Outcome | null
  readonly onOnly: (outcome: Outcome | null) => void
  /** At the end of the line. */
  readonly children?: ReactNode
}) {
  const { only, onOnly } = props
  return (
    <div className={classes.legend}>
      {OUTCOMES.filter((outcome) => props.totals[outcome] > 0).map((outcome) => (
        <span key={outcome} className={classes.legendItem}>
          <button
            type="button"
            className={classes.legendMark}
            aria-pressed={only === outcome}
            data-off={only !== null && only !== outcome}
            aria-label={texts.showOnly(OUTCOME_WORDS[outcome])}
            onClick={() => onOnly(only === outcome ? null : outcome)}
          >
            <OutcomeMark outcome={outcome} />
          </button>
          <Link to="/traffic" search={{ ...props.window, outcome: [outcome] }}>
            <strong>{wholeNumber(props.totals[outcome])}</strong>
          </Link>
        </span>
      ))}
      {props.children}
    </div>
  )
}
