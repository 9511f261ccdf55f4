/** States as a coloured dot and a word, never a colour alone. */
import type { ReactNode } from 'react'
import classes from './status.module.css'

export type Tone = 'good' | 'warn' | 'bad' | 'off' | 'busy'

/** `words` for a state of a table of states, or children. */
export function Status(props: {
  readonly tone: Tone
  readonly words?: string
  readonly children?: ReactNode
}) {
  return (
    <span className={classes.status}>
      <span className={classes.dot} data-tone={props.tone} />
      {props.words ?? props.children}
    </span>
  )
}

/** A short word in a thin frame: a method, a severity. */
export function Tag({ children }: { readonly children: ReactNode }) {
  return <span className={classes.tag}>{children}</span>
}
