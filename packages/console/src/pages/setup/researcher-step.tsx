import { Button, TextInput } from '@mantine/core'
import type { Site } from '@sallyport/contract'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import type { Input, Output } from '../../api/api.ts'
import { useOnce } from '../../api/once.ts'
import { useServices } from '../../api/services.tsx'
import { ErrorState } from '../../design/feedback/states.tsx'
import form from '../../design/form/form.module.css'
import { Panel } from '../../design/page/panel.tsx'

export type Invited = Output<'hackersCreate'>

/** Invites the first researcher. */
export function ResearcherStep(props: { readonly site: Site; readonly onDone: (invited: Invited) => void }) {
  const { api } = useServices()
  const queryClient = useQueryClient()
  const [email, setEmail] = useState('')
  const [name, setName] = useState('')
  const inviteOnce = useOnce((body: Input<'hackersCreate'>['body'], options) =>
    api.call('hackersCreate', { body }, options),
  )
  const invite = useMutation({
    mutationFn: () => inviteOnce({ email, name }),
    onSuccess: async (invited) => {
      await queryClient.invalidateQueries({ queryKey: ['researchers'] })
      props.onDone(invited)
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    invite.mutate()
  }
  return (
    <Panel
      title="Who tests it?"
      description={`${props.site.gatedName} is behind the gate. Nobody is let in uninvited.`}
    >
      <form className={form.form} onSubmit={submit}>
        <TextInput
          type="email"
          label="E-mail address"
          required
          value={email}
          onChange={(event) => setEmail(event.currentTarget.value)}
        />
        <TextInput label="Name" value={name} onChange={(event) => setName(event.currentTarget.value)} />
        {invite.error ? <ErrorState error={invite.error} /> : null}
        <div className={form.buttons}>
          <Button type="submit" loading={invite.isPending}>
            Invite
          </Button>
          <Link to="/sites/$siteId/$tab" params={{ siteId: props.site.id, tab: 'settings' }}>
            Skip: go to the site
          </Link>
        </div>
      </form>
    </Panel>
  )
}
