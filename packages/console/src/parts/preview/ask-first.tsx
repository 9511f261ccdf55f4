/** Shows what a change would have refused, and asks before it is made. */
import type { PreviewedChange } from '@sallyport/contract'
import { type ReactNode, useState } from 'react'
import { ConfirmDialog } from '../../design/dialog/confirm-dialog.tsx'
import { PreviewOfChange } from './preview-of-change.tsx'

export interface AskedChange {
  /** Null where it cannot be said what it would be. */
  readonly change: PreviewedChange | null
  readonly title: string
  /** The button says what will happen. */
  readonly action: string
  readonly words?: ReactNode
  readonly make: () => unknown
}

/** `ask` opens the dialog; `dialog` is to be rendered. */
export function useAskFirst(): {
  readonly ask: (asked: AskedChange) => void
  readonly dialog: ReactNode
} {
  const [asked, setAsked] = useState<AskedChange | null>(null)
  const [opened, setOpened] = useState(false)
  return {
    ask: (next) => {
      setAsked(next)
      setOpened(true)
    },
    dialog: asked ? (
      <ConfirmDialog
        opened={opened}
        title={asked.title}
        action={asked.action}
        onConfirm={async () => asked.make()}
        onClose={() => setOpened(false)}
      >
        {asked.words}
        <PreviewOfChange change={opened ? asked.change : null} />
      </ConfirmDialog>
    ) : null,
  }
}
