import { Button, type ButtonProps } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import { ConfirmDialog } from './confirm.tsx'

/** A button for something dangerous, which asks before it is done. */
export function ConfirmButton(props: {
  readonly label: string
  readonly button?: ButtonProps & { readonly 'aria-label'?: string }
  readonly title: string
  readonly action: string
  readonly onConfirm: () => Promise<unknown>
  readonly children: ReactNode
}) {
  const { label, button = { variant: 'outline', className: 'danger' }, ...dialog } = props
  const [opened, setOpened] = useState(false)
  return (
    <>
      <Button {...button} onClick={() => setOpened(true)}>
        {label}
      </Button>
      <ConfirmDialog opened={opened} danger onClose={() => setOpened(false)} {...dialog} />
    </>
  )
}
