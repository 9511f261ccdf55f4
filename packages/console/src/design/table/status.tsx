/** States as a coloured dot and a word, never a colour alone. */
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

/** A short word in a thin frame: a method, a severity. */
export function Tag({ children }: { readonly children: ReactNode }) {
  return <span className={classes.tag}>{children}</span>
}
