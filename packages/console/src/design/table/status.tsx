/** States as a coloured dot and a word, never a colour alone. */
import type { Outcome } from '@sallyport/contract'
import type { ReactNode } from 'react'
import classes from './status.module.css'

export type Tone = 'good' | 'warn' | 'bad' | 'off' | 'busy'

export function Status({ tone, children }: { readonly tone: Tone; readonly children: ReactNode }) {
  return (
    <span className={classes.status}>
      <span className={classes.dot} data-tone={tone} />
      {children}
    </span>
  )
}

/** Who answered a request, in the console's words. */
export const OUTCOME_WORDS: Readonly<Record<Outcome, string>> = {
  origin: 'Passed',
  block: 'Block rule',
  limit: 'Rate limit',
  firewall: 'Firewall',
  gate: 'Gate',
  interrupted: 'Interrupted',
}

/** `brief` shows the colour alone and says the word to those who listen. */
export function OutcomeMark(props: { readonly outcome: Outcome; readonly brief?: boolean }) {
  return (
    <span className={classes.status} title={OUTCOME_WORDS[props.outcome]}>
      <span className={classes.square} data-outcome={props.outcome} />
      <span className={props.brief ? 'visually-hidden' : undefined}>{OUTCOME_WORDS[props.outcome]}</span>
    </span>
  )
}

/** A short word in a quiet frame: a method, a mode, a tag. */
export function Tag({ children }: { readonly children: ReactNode }) {
  return <span className={classes.tag}>{children}</span>
}
