import { Button } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import type { FormEvent, ReactNode } from 'react'
import form from './form.module.css'
import { FormEnd } from './form-end.tsx'

/** A form that makes something with a secret, which it shows in its place once it is made. */
export function SecretForm<Made>(props: {
  /** What the button does: "Invite", "Create". */
  readonly action: string
  readonly make: () => Promise<Made>
  /** The fields. */
  readonly children: ReactNode
  readonly secrets: (made: Made) => ReactNode
  readonly onDone: () => void
}) {
  const making = useMutation({ mutationFn: props.make })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    making.mutate()
  }
  if (making.data !== undefined)
    return (
      <div className={form.form}>
        {props.secrets(making.data)}
        <div className={form.buttons}>
          <Button onClick={props.onDone}>Done</Button>
        </div>
      </div>
    )
  return (
    <form className={form.form} onSubmit={submit}>
      {props.children}
      <FormEnd action={props.action} isPending={making.isPending} error={making.error} />
    </form>
  )
}
