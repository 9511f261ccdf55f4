/** Asks for a confirmation before a dangerous act, one that affects other people. */
import { Button, type ButtonProps } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import { useNotices } from '../feedback/notices.tsx'
import classes from './confirm-dialog.module.css'
import { Dialog } from './dialog.tsx'
import { texts } from './texts.ts'

interface ConfirmDialogProps {
  readonly opened: boolean
  readonly title: string
  readonly children: ReactNode
  /** The button says what will happen: "Disable site", not "OK". */
  readonly action: string
  readonly onConfirm: () => Promise<unknown>
  readonly onClose: () => void
}

export function ConfirmDialog(props: ConfirmDialogProps) {
  const notices = useNotices()
  const [busy, setBusy] = useState(false)
  const confirm = () => {
    setBusy(true)
    props
      .onConfirm()
      .then(props.onClose, (error: unknown) => notices.failed(error))
      .finally(() => setBusy(false))
  }
  return (
    <Dialog opened={props.opened} onClose={props.onClose} title={props.title}>
      <div className={classes.words}>{props.children}</div>
      <div className={classes.buttons}>
        <Button variant="default" onClick={props.onClose} data-autofocus>
          {texts.cancel}
        </Button>
        <Button color="red.9" loading={busy} onClick={confirm}>
          {props.action}
        </Button>
      </div>
    </Dialog>
  )
}

/** A button for something dangerous, which asks before it is done. */
export function ConfirmButton(
  props: Omit<ConfirmDialogProps, 'opened' | 'onClose'> & {
    readonly label: string
    readonly button?: ButtonProps & { readonly 'aria-label'?: string }
  },
) {
  const { label, button = { variant: 'outline', className: 'danger' }, ...dialog } = props
  const [opened, setOpened] = useState(false)
  return (
    <>
      <Button {...button} onClick={() => setOpened(true)}>
        {label}
      </Button>
      <ConfirmDialog opened={opened} onClose={() => setOpened(false)} {...dialog} />
    </>
  )
}
