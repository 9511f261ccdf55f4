/** A form, its parts, and how they are laid out. */
import { Button } from '@mantine/core'
import type { ReactNode, Ref } from 'react'
import { focusFirst } from '../dialog/focus-first.ts'
import { ErrorState } from '../feedback/states.tsx'
import classes from './form.module.css'
import { texts } from './texts.ts'

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
      ref={focusFirst}
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
export const Stack = ({ ref, children }: Parts & { readonly ref?: Ref<HTMLDivElement> }) => (
  <div ref={ref} className={classes.stack}>
    {children}
  </div>
)

/** Fields side by side where there is room. */
export const FieldRow = ({ children }: Parts) => <div className={classes.row}>{children}</div>

export const Buttons = ({ role, children }: Parts & { readonly role?: 'status' }) => (
  <div className={classes.buttons} role={role}>
    {children}
  </div>
)

interface SendButtonProps {
  /** What the button does: "Save", "Invite". */
  readonly action: string
  readonly isPending: boolean
  /** Whether there is nothing to save. A form that makes something leaves it out. */
  readonly isUnchanged?: boolean
  /** Why it cannot be sent yet. */
  readonly notYet?: string | false
}

/** The button that sends a form, or is pressed to save where `onClick` is given. Until it can be, it says why not. */
export function SendButton(props: SendButtonProps & { readonly onClick?: () => void }) {
  const { action, isPending, isUnchanged = false, notYet = false, onClick } = props
  const why = isUnchanged ? texts.nothingHasChanged : notYet
  return (
    <Button
      type={onClick ? 'button' : 'submit'}
      disabled={why !== false}
      {...(why ? { title: why } : {})}
      loading={isPending}
      {...(onClick ? { onClick } : {})}
    >
      {action}
    </Button>
  )
}

/** The end of a form: why it was refused, and the button that sends it. */
export function FormEnd(
  props: SendButtonProps & {
    readonly error?: unknown
    /** Beside the button. */
    readonly children?: ReactNode
  },
) {
  const { error, children, ...button } = props
  return (
    <>
      {error ? <ErrorState error={error} /> : null}
      <Buttons>
        <SendButton {...button} />
        {children}
      </Buttons>
    </>
  )
}
