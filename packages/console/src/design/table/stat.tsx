/** A number with its name, which may link to what it counts. */
import type { ReactNode } from 'react'
import classes from './stat.module.css'

export function Stats({ children }: { readonly children: ReactNode }) {
  return <div className={classes.stats}>{children}</div>
}

export function Stat(props: {
  readonly label: string
  readonly value: ReactNode
  readonly note?: ReactNode
  /** The link around it, given what it shows. */
  readonly link?: (content: ReactNode, className: string) => ReactNode
}) {
  const content = (
    <>
      <span className={classes.label}>{props.label}</span>
      <span className={classes.value}>{props.value}</span>
      <span className={classes.note}>{props.note ?? ' '}</span>
    </>
  )
  return props.link ? props.link(content, classes.stat ?? '') : <div className={classes.stat}>{content}</div>
}
