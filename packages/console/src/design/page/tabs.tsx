/** Tabs that are addresses: each is a link, so that it can be opened, kept and sent. */
import type { ReactNode } from 'react'
import classes from './tabs.module.css'

export function TabList(props: { readonly label: string; readonly children: ReactNode }) {
  return (
    <nav aria-label={props.label} className={classes.tabs}>
      {props.children}
    </nav>
  )
}

export const tabClass = classes.tab ?? ''
