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
import { texts } from './texts.ts'

const REASON_WORDS: Readonly<Record<AccessReason, string>> = {
  admitted_all: texts.everyActiveResearcherMay,
  admitted_listed: texts.theyAreOn,
  unknown_researcher: texts.noResearcherHasThisAddress,
  researcher_paused: texts.theyArePaused,
  researcher_expired: texts.theirAccessHasExpired,
  researcher_not_listed: texts.theyAreNot,
  site_closed: texts.theSiteIsClosedNow,
  organization_closed: texts.everythingIsStopped,
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
    <Panel title={texts.checkAccess} description={texts.checkAccessHint}>
      <Form onSubmit={ask}>
        <TextField type="email" label={texts.emailAddress} required value={email} onText={setEmail} />
        <Buttons>
          <Button type="submit" variant="default" loading={check.isPending}>
            {texts.check}
          </Button>
        </Buttons>
        {check.error ? <ErrorState error={check.error} /> : null}
        {check.data ? (
          <Callout tone={check.data.allowed ? 'good' : 'bad'} role="status">
            <Status tone={check.data.allowed ? 'good' : 'bad'}>
              {check.data.allowed ? texts.admitted : texts.refused}
            </Status>
            <span>{REASON_WORDS[check.data.reason]}</span>
          </Callout>
        ) : null}
      </Form>
    </Panel>
  )
}
