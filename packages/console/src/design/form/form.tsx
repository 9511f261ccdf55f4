/** A form, its parts, and how they are laid out. */
import { Button } from '@mantine/core'
import type { ReactNode } from 'react'
import { ErrorState } from '../feedback/states.tsx'
import classes from './form.module.css'

interface Parts {
  readonly children: ReactNode
}

/** A form with its parts one below another, unless it has a class of its own. `onSubmit` is called in place of a page load. */
export function Form(
  props: Parts & { readonly className?: string | undefined; readonly onSubmit: () => void },
) {
  const { className = classes.stack, onSubmit, children } = props
  return (
    <form
      className={className}
      onSubmit={(event) => {
        event.preventDefault()
        onSubmit()
      }}
    >
      {children}
    </form>
  )
}

/** A form in a line below a list, which adds to the list. */
export const AdditionForm = (props: Parts & { readonly onSubmit: () => void }) => (
  <Form {...props} className={classes.addition} />
)

/** Parts one below another, as in a form. */
export const Stack = ({ children }: Parts) => <div className={classes.stack}>{children}</div>

/** Fields side by side where there is room. */
export const FieldRow = ({ children }: Parts) => <div className={classes.row}>{children}</div>

export const Buttons = ({ role, children }: Parts & { readonly role?: 'status' }) => (
  <div className={classes.buttons} role={role}>
    {children}
  </div>
)

/** The end of a form: why it was refused, and the button that sends it. */
export function FormEnd(props: {
  /** What the button does: "Save", "Invite". */
  readonly action: string
  readonly isPending: boolean
  readonly error?: unknown
  readonly disabled?: boolean
  /** Beside the button. */
  readonly children?: ReactNode
}) {
  const { disabled = false } = props
  return (
    <>
      {props.error ? <ErrorState error={props.error} /> : null}
      <Buttons>
        <Button type="submit" disabled={disabled} loading={props.isPending}>
          {props.action}
        </Button>
        {props.children}
      </Buttons>
    </>
  )
}
