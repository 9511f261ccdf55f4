/** A dialog around a form: what was entered in it is lost by no Escape and no click beside it, unless somebody says so. */
import { type FormEvent, type ReactNode, useRef, useState } from 'react'
import { ConfirmDialog } from './confirm-dialog.tsx'
import { Dialog } from './dialog.tsx'
import { texts } from './texts.ts'

export function FormDialog(props: {
  readonly opened: boolean
  readonly title: string
  readonly size?: 'lg' | undefined
  /** Closes it; the form calls it by itself once it has saved. */
  readonly onClose: () => void
  readonly children: ReactNode
}) {
  const { opened, onClose, size } = props
  const entered = useRef<HTMLElement | null>(null)
  const [asks, setAsks] = useState(false)
  const noteInput = ({ target }: FormEvent) => {
    if (target instanceof HTMLElement && target.closest('form')) entered.current = target
  }
  const close = () => {
    // A form that was sent may have given way to what it made.
    if (!entered.current?.isConnected) return onClose()
    // Where the focus goes back to once the question is closed.
    entered.current.focus()
    // After this event: the question would take the same Escape as its answer.
    setTimeout(() => setAsks(true))
  }
  return (
    <>
      <Dialog
        opened={opened}
        onClose={close}
        closeOnEscape={!asks}
        title={props.title}
        {...(size ? { size } : {})}
      >
        <div onInput={noteInput}>{props.children}</div>
      </Dialog>
      <ConfirmDialog
        opened={opened && asks}
        title={texts.discard}
        action={texts.discardAction}
        onConfirm={async () => onClose()}
        onClose={() => setAsks(false)}
      >
        {texts.discardBody}
      </ConfirmDialog>
    </>
  )
}
