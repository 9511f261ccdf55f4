import type { Site } from '@sallyport/contract'
import { useMutation } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useRef, useState } from 'react'
import type { Output } from '../../api/api.tsx'
import { useResearcherInvitation, useSiteListChange } from '../../api/queries/researcher-queries.ts'
import { PersonFields } from '../../design/form/fields.tsx'
import { Form, FormEnd } from '../../design/form/form.tsx'
import { Panel } from '../../design/page/panel.tsx'
import { texts } from './texts.ts'

export type Invited = Output<'hackersCreate'>

/** Invites the first researcher. */
export function ResearcherStep(props: { readonly site: Site; readonly onDone: (invited: Invited) => void }) {
  const { site } = props
  const [person, setPerson] = useState({ email: '', name: '' })
  const inviteResearcher = useResearcherInvitation()
  const { mutateAsync: listResearcher } = useSiteListChange(site.id)
  const made = useRef<{ readonly key: string; readonly invited: Invited } | null>(null)
  const invite = useMutation({
    mutationFn: async () => {
      // Where only the list failed, who was invited is not invited again.
      const key = JSON.stringify(person)
      if (made.current?.key !== key) made.current = { key, invited: await inviteResearcher({ body: person }) }
      const { invited } = made.current
      if (site.hasCustomList) await listResearcher({ id: invited.id, listed: true })
      return invited
    },
    onSuccess: props.onDone,
  })
  const submit = () => invite.mutate()
  return (
    <Panel
      title={texts.whoTestsIt}
      description={
        site.hasCustomList ? texts.whoTestsItHint(site.gatedName) : texts.isBehindTheGate(site.gatedName)
      }
    >
      <Form onSubmit={submit}>
        <PersonFields value={person} onChange={setPerson} />
        <FormEnd action={texts.invite} isPending={invite.isPending} error={invite.error}>
          <Link to="/sites/$siteId/$tab" params={{ siteId: site.id, tab: 'settings' }}>
            {texts.skipAndGo}
          </Link>
        </FormEnd>
      </Form>
    </Panel>
  )
}
