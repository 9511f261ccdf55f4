import type { Site } from '@sallyport/contract'
import { useMutation } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import type { Output } from '../../api/api.tsx'
import { useResearcherInvitation } from '../../api/queries/researcher-queries.ts'
import { PersonFields } from '../../design/form/fields.tsx'
import { Form, FormEnd } from '../../design/form/form.tsx'
import { Panel } from '../../design/page/panel.tsx'

export type Invited = Output<'hackersCreate'>

/** Invites the first researcher. */
export function ResearcherStep(props: { readonly site: Site; readonly onDone: (invited: Invited) => void }) {
  const [person, setPerson] = useState({ email: '', name: '' })
  const inviteResearcher = useResearcherInvitation()
  const invite = useMutation({
    mutationFn: () => inviteResearcher({ body: person }),
    onSuccess: props.onDone,
  })
  const submit = () => invite.mutate()
  return (
    <Panel
      title="Who tests it?"
      description={`${props.site.gatedName} is behind the gate. Nobody is let in uninvited.`}
    >
      <Form onSubmit={submit}>
        <PersonFields value={person} onChange={setPerson} />
        <FormEnd action="Invite" isPending={invite.isPending} error={invite.error}>
          <Link to="/sites/$siteId/$tab" params={{ siteId: props.site.id, tab: 'settings' }}>
            Skip: go to the site
          </Link>
        </FormEnd>
      </Form>
    </Panel>
  )
}
