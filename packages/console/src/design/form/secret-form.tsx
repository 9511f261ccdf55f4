import { Button } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { type ReactNode, useCallback, useRef } from 'react'
import { forgetSecrets } from '../../session/kept-secrets.ts'
import { focusFirst } from '../dialog/focus-first.ts'
import { SaysStored } from './copy.tsx'
import { Buttons, Form, FormEnd, Stack } from './form.tsx'
import { texts } from './texts.ts'

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
  // Others on the page are not this form's to forget.
  const own = useRef(new Set<string>())
  const gather = useCallback((value: string) => void own.current.add(value), [])
  if (making.data !== undefined)
    return (
      <Stack ref={focusFirst}>
        <SaysStored value={gather}>{props.secrets(making.data)}</SaysStored>
        <Buttons>
          <Button
            onClick={() => {
              forgetSecrets([...own.current])
              props.onDone()
            }}
          >
            {texts.done}
          </Button>
        </Buttons>
      </Stack>
    )
  return (
    <Form onSubmit={making.mutate}>
      {props.children}
      <FormEnd action={props.action} isPending={making.isPending} error={making.error} />
    </Form>
  )
}
