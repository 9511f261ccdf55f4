/** Asks for a confirmation before an act that affects other people. */
import { Button, Modal } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import { useNotices } from '../feedback/notices.tsx'
import classes from './confirm.module.css'

export function ConfirmDialog(props: {
  readonly opened: boolean
  readonly title: string
  readonly children: ReactNode
  /** The button says what will happen: "Disable site", not "OK". */
  readonly action: string
  readonly danger?: boolean
  readonly onConfirm: () => Promise<unknown>
  readonly onClose: () => void
}) {
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
    <Modal opened={props.opened} onClose={props.onClose} title={props.title}>
      <div className={classes.words}>{props.children}</div>
      <div className={classes.buttons}>
        <Button variant="default" onClick={props.onClose} data-autofocus>
          Cancel
        </Button>
        <Button {...(props.danger ? { color: 'red.9' } : {})} loading={busy} onClick={confirm}>
          {props.action}
        </Button>
      </div>
    </Modal>
  )
}
