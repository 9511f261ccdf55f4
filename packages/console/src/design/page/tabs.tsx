/** Tabs that are addresses: each is a link, so that it can be opened, kept and sent. */
import { useLocation } from '@tanstack/react-router'
import { type ReactNode, useLayoutEffect, useRef } from 'react'
import classes from './tabs.module.css'

export function TabList(props: { readonly label: string; readonly children: ReactNode }) {
  const list = useRef<HTMLElement>(null)
  const path = useLocation({ select: ({ pathname }) => pathname })
  // On a narrow window the one that is open may lie beyond the edge.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the tab that is open follows from the address
  useLayoutEffect(() => showCurrent(list.current), [path])
  return (
    <nav ref={list} aria-label={props.label} className={classes.tabs}>
      {props.children}
    </nav>
  )
}

/** Scrolls the tabs alone: the page stays where it is. */
function showCurrent(list: HTMLElement | null): void {
  const current = list?.querySelector('[aria-current="page"]')
  if (!list || !current) return
  const frame = list.getBoundingClientRect()
  const box = current.getBoundingClientRect()
  if (box.left < frame.left) list.scrollBy({ left: box.left - frame.left, behavior: 'instant' })
  else if (box.right > frame.right) list.scrollBy({ left: box.right - frame.right, behavior: 'instant' })
}

export const tabClass = classes.tab ?? ''
