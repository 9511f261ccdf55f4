import { Button, TextInput } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { useServices } from '../../app/services.tsx'
import { SecretOnce } from '../../design/copy.tsx'
import form from '../../design/form.module.css'
import { ErrorState } from '../../design/states.tsx'
import { fromLocalInput, useTime } from '../../design/time.tsx'

/** Invites one researcher and shows their link and key, once. */
export function InviteForm({ onDone }: { readonly onDone: () => void }) {
  const { api } = useServices()
  const { zone } = useTime()
  const queryClient = useQueryClient()
  const [email, setEmail] = useState('')
  const [name, setName] = useState('')
  const [until, setUntil] = useState('')
  const invite = useMutation({
    mutationFn: () =>
      api.call('hackersCreate', { body: { email, name, expires: fromLocalInput(until, zone) } }),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: ['researchers'] }),
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    invite.mutate()
  }
  if (invite.data)
    return (
      <div className={form.form}>
        <p>{invite.data.email} is invited. Send them the link; it signs them in at the gated host.</p>
        <SecretOnce label="Invitation, for a browser" value={invite.data.invitation} />
        <SecretOnce label="Key, for tools" value={invite.data.key} />
        <div className={form.buttons}>
          <Button onClick={onDone}>Done</Button>
        </div>
      </div>
    )
  return (
    <form className={form.form} onSubmit={submit}>
      <TextInput
        type="email"
        label="E-mail address"
        required
        data-autofocus
        value={email}
        onChange={(event) => setEmail(event.currentTarget.value)}
      />
      <TextInput label="Name" value={name} onChange={(event) => setName(event.currentTarget.value)} />
      <TextInput
        type="datetime-local"
        label="Access until"
        description={`Empty: open-ended. Time zone: ${zone}`}
        value={until}
        onChange={(event) => setUntil(event.currentTarget.value)}
      />
      {invite.error ? <ErrorState error={invite.error} /> : null}
      <div className={form.buttons}>
        <Button type="submit" loading={invite.isPending}>
          Invite
        </Button>
      </div>
    </form>
  )
}
