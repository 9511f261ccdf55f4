/** A list of which the first are shown, and a button that shows the others: what is left out is said, and can be opened. */
import { Button } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import { texts } from './texts.ts'

export interface Folded<Item> {
  readonly shown: readonly Item[]
  /** "Show 12 more", or "Show fewer"; null where all are shown anyway. */
  readonly button: ReactNode
}

export function useFold<Item>(items: readonly Item[], shownMax: number): Folded<Item> {
  const [isWhole, setWhole] = useState(false)
  const rest = items.length - shownMax
  if (rest <= 0) return { shown: items, button: null }
  return {
    shown: isWhole ? items : items.slice(0, shownMax),
    button: (
      <Button variant="subtle" size="compact-xs" aria-expanded={isWhole} onClick={() => setWhole(!isWhole)}>
        {isWhole ? texts.showFewer : texts.showRestMore(rest)}
      </Button>
    ),
  }
}
