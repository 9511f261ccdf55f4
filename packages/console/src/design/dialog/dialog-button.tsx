import { Button, type ButtonProps } from '@mantine/core'
import { type ComponentProps, type ComponentType, type ReactNode, useState } from 'react'
import { Icon, type IconName } from '../icon.tsx'
import { FormDialog } from './form-dialog.tsx'

/** A button that opens a dialog. What the dialog shows is given the act that closes it. */
export function DialogButton(props: {
  readonly label: string
  /** What it is called where several buttons of a page have the same label; begins with the label. */
  readonly name?: string
  readonly icon?: IconName
  readonly variant?: ButtonProps['variant'] & string
  /** Of the dialog. */
  readonly title: string
  readonly size?: 'lg'
  readonly children: (close: () => void) => ReactNode
}) {
  const { icon, size, variant } = props
  const [opened, setOpened] = useState(false)
  const close = () => setOpened(false)
  return (
    <>
      <Button
        {...(variant ? { variant } : {})}
        aria-label={props.name}
        leftSection={icon ? <Icon name={icon} size={14} /> : null}
        onClick={() => setOpened(true)}
      >
        {props.label}
      </Button>
      <FormDialog opened={opened} onClose={close} title={props.title} size={size}>
        {props.children}
      </FormDialog>
    </>
  )
}

/** Opens the form that adds to a list; nothing for who may not. The dialog has the label as its title, unless it has another. */
export function AddButton(
  props: Pick<ComponentProps<typeof DialogButton>, 'label' | 'size'> & {
    readonly title?: string
    readonly may: boolean
    readonly form: ComponentType<{ readonly onDone: () => void }>
  },
) {
  const { may, form: Form, ...dialog } = props
  if (!may) return null
  return (
    <DialogButton icon="plus" title={dialog.label} {...dialog}>
      {(close) => <Form onDone={close} />}
    </DialogButton>
  )
}
