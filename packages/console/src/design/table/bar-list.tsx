import type { ReactNode } from 'react'
import classes from './bar-list.module.css'

/** Names with a value at the end of the line, and a bar behind it where there is a share to show. */
export function BarList<Item>(props: {
  readonly items: readonly Item[]
  readonly itemKey: (item: Item) => string
  /** From 0 to 1. */
  readonly share?: (item: Item) => number
  readonly name: (item: Item, className: string) => ReactNode
  readonly value: (item: Item) => ReactNode
}) {
  const { share } = props
  return (
    <ol className={classes.bars}>
      {props.items.map((item) => (
        <li key={props.itemKey(item)} className={classes.bar}>
          {share ? <span className={classes.fill} style={{ width: `${100 * share(item)}%` }} /> : null}
          {props.name(item, classes.name ?? '')}
          {props.value(item)}
        </li>
      ))}
    </ol>
  )
}
