import type { ReactNode } from 'react'
import classes from './callout.module.css'

/** A framed remark, with a stripe whose colour says what kind it is. */
export function Callout(props: {
  readonly tone?: 'good' | 'bad' | 'warn'
  readonly role?: 'status' | 'alert'
  /** Between its lines, pixels. */
  readonly gap?: number
  readonly children: ReactNode
}) {
  return (
    <div className={classes.callout} data-tone={props.tone} role={props.role} style={{ gap: props.gap }}>
      {props.children}
    </div>
  )
}
