/** The letters that act on the traffic page, and the dialog that tells of them. */
import { ActionIcon } from '@mantine/core'
import { useState } from 'react'
import { serverNow } from '../../../api/server-clock.ts'
import { Dialog } from '../../../design/dialog/dialog.tsx'
import { usePageKeys } from '../../../design/keys.ts'
import { windowOf } from '../../../design/time/window-picker.tsx'
import type { SearchProps } from '../../../parts/traffic/search.ts'
import { FILTER_BAR_ID } from '../query/filter-bar-id.ts'
import { texts } from './texts.ts'
import classes from './traffic-keys.module.css'

const KEYS: readonly (readonly [keys: string, words: string])[] = [
  [texts.jK, texts.theNextRequest],
  ['f, /', texts.typeInTheFilterLine],
  ['x', texts.excludeTheFirstFinding],
  ['p', texts.pinTheWindow],
  ['Escape', texts.closeTheOpenRequest],
  [texts.arrowsPageUpPage, texts.moveInTheTable],
  ['?', texts.thisList],
]

export function TrafficKeys({ search, onChange }: SearchProps) {
  const [helps, setHelps] = useState(false)
  usePageKeys({
    f: () => document.getElementById(FILTER_BAR_ID)?.focus(),
    p: search.live
      ? undefined
      : () => onChange(search.lte ? { gte: undefined, lte: undefined } : windowOf(search, serverNow())),
    '?': () => setHelps(true),
  })
  return (
    <>
      <ActionIcon
        size="lg"
        aria-label={texts.keyboardShortcuts}
        title={texts.keyboardShortcutsAndKey}
        onClick={() => setHelps(true)}
      >
        <span aria-hidden="true">?</span>
      </ActionIcon>
      <Dialog opened={helps} onClose={() => setHelps(false)} title={texts.keyboardShortcuts}>
        <dl className={classes.keys}>
          {KEYS.map(([keys, words]) => (
            <div key={keys}>
              <dt>
                {keys.split(', ').map((key) => (
                  <kbd key={key}>{key}</kbd>
                ))}
              </dt>
              <dd>{words}</dd>
            </div>
          ))}
        </dl>
      </Dialog>
    </>
  )
}
