import { Button } from '@mantine/core'
import type { AccessReason } from '@sallyport/policy'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { useServices } from '../../../api/api.tsx'
import { Callout } from '../../../design/feedback/callout.tsx'
import { ErrorState } from '../../../design/feedback/states.tsx'
import { TextField } from '../../../design/form/fields.tsx'
import { Buttons, Form } from '../../../design/form/form.tsx'
import { Panel } from '../../../design/page/panel.tsx'
import { Status } from '../../../design/table/status.tsx'

const REASON_WORDS: Readonly<Record<AccessReason, string>> = {
  admitted_all: 'Every active researcher may enter this site.',
  admitted_listed: 'They are on the list of this site.',
  unknown_researcher: 'No researcher has this address.',
  researcher_paused: 'They are paused.',
  researcher_expired: 'Their access has expired.',
  researcher_not_listed: 'They are not on the list of this site.',
  site_closed: 'The site is closed now.',
  organization_closed: 'Everything is stopped, or the organization is suspended.',
}

/** Asks the control plane: would this person get in now, and why. */
export function AccessCheck({ siteId }: { readonly siteId: string }) {
  const { api } = useServices()
  const [email, setEmail] = useState('')
  const check = useMutation({
    mutationFn: (address: string) => api.call('sitesValidateHacker', { query: { siteId, email: address } }),
  })
  const ask = () => check.mutate(email)
  return (
    <Panel title="Check access" description="Whether a researcher would get in right now, and why.">
      <Form onSubmit={ask}>
        <TextField type="email" label="E-mail address" required value={email} onText={setEmail} />
        <Buttons>
          <Button type="submit" variant="default" loading={check.isPending}>
            Check
          </Button>
        </Buttons>
        {check.error ? <ErrorState error={check.error} /> : null}
        {check.data ? (
          <Callout tone={check.data.allowed ? 'good' : 'bad'} role="status">
            <Status tone={check.data.allowed ? 'good' : 'bad'}>
              {check.data.allowed ? 'Admitted' : 'Refused'}
            </Status>
            <span>{REASON_WORDS[check.data.reason]}</span>
          </Callout>
        ) : null}
      </Form>
    </Panel>
  )
}
