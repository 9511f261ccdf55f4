import type { Outcome } from '@sallyport/contract'
import classes from './outcome-mark.module.css'

/** Who answered a request, in words. */
export const OUTCOME_WORDS: Readonly<Record<Outcome, string>> = {
  origin: 'Passed',
  block: 'Block rule',
  limit: 'Rate limit',
  firewall: 'Firewall',
  gate: 'Gate',
  interrupted: 'Interrupted',
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
