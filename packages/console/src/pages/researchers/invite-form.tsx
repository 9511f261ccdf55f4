import { TextInput } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { Input } from '../../api/api.ts'
import { useOnce } from '../../api/once.ts'
import { useServices } from '../../api/services.tsx'
import { SecretOnce } from '../../design/form/copy.tsx'
import { LocalTimeInput } from '../../design/form/local-time-input.tsx'
import { SecretForm } from '../../design/form/secret-form.tsx'
import { fromLocalInput } from '../../design/time/local-time.ts'
import { useTime } from '../../design/time/time.tsx'

/** Invites one researcher and shows their link and key, once. */
export function InviteForm({ onDone }: { readonly onDone: () => void }) {
  const { api } = useServices()
  const { zone } = useTime()
  const queryClient = useQueryClient()
  const [email, setEmail] = useState('')
  const [name, setName] = useState('')
  const [until, setUntil] = useState('')
  const inviteOnce = useOnce((body: Input<'hackersCreate'>['body'], options) =>
    api.call('hackersCreate', { body }, options),
  )
  const invite = async () => {
    const invited = await inviteOnce({ email, name, expires: fromLocalInput(until, zone) })
    await queryClient.invalidateQueries({ queryKey: ['researchers'] })
    return invited
  }
  return (
    <SecretForm
      action="Invite"
      make={invite}
      onDone={onDone}
      secrets={(invited) => (
        <>
          <p>
            {invited.email} is invited. Send them the link: it opens on the gate’s own host, signs one browser
            in, once, and shows them every site that they may test.
          </p>
          <SecretOnce label="Invitation, for one browser" value={invited.invitation} />
          <SecretOnce label="Key, for tools" value={invited.key} />
        </>
      )}
    >
      <TextInput
        type="email"
        label="E-mail address"
        required
        data-autofocus
        value={email}
        onChange={(event) => setEmail(event.currentTarget.value)}
      />
      <TextInput label="Name" value={name} onChange={(event) => setName(event.currentTarget.value)} />
      <LocalTimeInput
        label="Access until"
        description={`Empty: open-ended. Time zone: ${zone}`}
        value={until}
        onChange={(event) => setUntil(event.currentTarget.value)}
      />
    </SecretForm>
  )
}
