import { Modal, type ModalProps } from '@mantine/core'
import { useEffect, useState } from 'react'

/** A modal dialog, of which nothing is drawn until it opens for the first time: most of a page's dialogs are never opened. */
export function Dialog({ opened, ...props }: ModalProps) {
  const [isDrawn, setDrawn] = useState(false)
  // Drawn closed first: opening is when it notes where the focus has to return to, and fades in.
  useEffect(() => {
    if (opened) setDrawn(true)
  }, [opened])
  return opened || isDrawn ? <Modal {...props} opened={opened && isDrawn} /> : null
}
