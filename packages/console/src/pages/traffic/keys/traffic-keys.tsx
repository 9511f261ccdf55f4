/** The letters that act on the traffic page, and the dialog that tells of them. */
import { ActionIcon, Modal } from '@mantine/core'
import { useState } from 'react'
import { usePageKeys } from '../../../design/keys.ts'
import { windowOf } from '../../../design/time/window-picker.tsx'
import type { SearchProps } from '../../../parts/traffic/search.ts'
import { FILTER_BAR_ID } from '../query/filter-bar-id.ts'
import classes from './traffic-keys.module.css'

const KEYS: readonly (readonly [keys: string, words: string])[] = [
  ['j, k', 'the next request, the one before'],
  ['f, /', 'type in the filter line'],
  ['x', 'exclude the first finding of the open request'],
  ['p', 'pin the window: it stays where it is instead of following the clock; again, let it follow'],
  ['Escape', 'close the open request'],
  ['Arrows, Page Up, Page Down, Enter', 'move in the table, open a request, and go to the open one'],
  ['?', 'this list'],
]

export function TrafficKeys({ search, onChange }: SearchProps) {
  const [helps, setHelps] = useState(false)
  usePageKeys({
    f: () => document.getElementById(FILTER_BAR_ID)?.focus(),
    p: search.live
      ? undefined
      : () => onChange(search.lte ? { gte: undefined, lte: undefined } : windowOf(search, Date.now())),
    '?': () => setHelps(true),
  })
  return (
    <>
      <ActionIcon
        size="lg"
        aria-label="Keyboard shortcuts"
        title="Keyboard shortcuts (?)"
        onClick={() => setHelps(true)}
      >
        <span aria-hidden="true">?</span>
      </ActionIcon>
      <Modal opened={helps} onClose={() => setHelps(false)} title="Keyboard shortcuts">
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
      </Modal>
    </>
  )
}
