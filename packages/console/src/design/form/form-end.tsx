import { Button } from '@mantine/core'
import type { ReactNode } from 'react'
import { ErrorState } from '../feedback/states.tsx'
import form from './form.module.css'

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
      <div className={form.buttons}>
        <Button type="submit" disabled={disabled} loading={props.isPending}>
          {props.action}
        </Button>
        {props.children}
      </div>
    </>
  )
}
