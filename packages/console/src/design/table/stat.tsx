/** A number with its name, which may link to what it counts. */
import { cloneElement, type ReactElement, type ReactNode } from 'react'
import classes from './stat.module.css'

export function Stats(props: {
  /** The numbers answer an earlier question; the answer to the present one is loading. */
  readonly busy?: boolean
  readonly children: ReactNode
}) {
  return (
    <div className={classes.stats} aria-busy={props.busy === true}>
      {props.children}
    </div>
  )
}

export function Stat(props: {
  readonly label: string
  readonly value: ReactNode
  readonly note?: ReactNode
  /** The link around it, which is given what it shows. */
  readonly link: ReactElement<{ className?: string | undefined; children?: ReactNode }>
}) {
  return cloneElement(
    props.link,
    { className: classes.stat },
    <span className={classes.label}>{props.label}</span>,
    <span className={classes.value}>{props.value}</span>,
    <span className={classes.note}>{props.note ?? ' '}</span>,
  )
}
