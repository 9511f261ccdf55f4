/** What the organization is called, the contact for researchers, and for how long cut-off gateways go on. */
import { LEASE_SECONDS_MAX, LEASE_SECONDS_MIN, type OrganizationDetails } from '@sallyport/contract'
import { useState } from 'react'
import { useApiChange } from '../../api/api-query.ts'
import { previousValues, readModifyWrite, unsavedEdits } from '../../api/concurrent-edits.ts'
import { fieldFaults } from '../../api/error-words.ts'
import { storeOrganization, useOrganization, usePermission } from '../../api/queries/account-queries.ts'
import { AskBeforeLeaving } from '../../design/dialog/ask-before-leaving.tsx'
import { useNotices } from '../../design/feedback/notices.tsx'
import { QueryState } from '../../design/feedback/states.tsx'
import { TextField } from '../../design/form/fields.tsx'
import { Form, FormEnd } from '../../design/form/form.tsx'
import { Panel } from '../../design/page/panel.tsx'
import { texts } from './texts.ts'

type Editable = Pick<OrganizationDetails, 'name' | 'contact' | 'leaseSeconds'>
const FIELDS = ['name', 'contact', 'leaseSeconds'] as const satisfies readonly (keyof Editable)[]

export function DetailsTab() {
  const organization = useOrganization()
  return (
    <Panel title={texts.details}>
      <QueryState query={organization} />
      {organization.data ? <DetailsForm organization={organization.data} /> : null}
    </Panel>
  )
}

function DetailsForm({ organization }: { readonly organization: OrganizationDetails }) {
  const notices = useNotices()
  const may = usePermission('organization:write')
  const [edits, setEdits] = useState<Partial<Editable>>({})
  const save = useApiChange(
    (api, changes: Partial<Editable>) =>
      readModifyWrite(
        () => api.callVersioned('organizationGetDetails', {}),
        async (before, options) => ({
          before,
          after: await api.call('organizationUpdate', { body: changes }, options),
        }),
      ),
    (queryClient, { after }) => storeOrganization(queryClient, after),
  )
  const shown = { ...organization, ...edits }
  const faults = fieldFaults(save.error)
  const saveEdits = async () => {
    const { before } = await save.mutateAsync(edits)
    setEdits((now) => unsavedEdits(now, edits))
    return previousValues<Editable>(before, edits)
  }
  const submit = () =>
    notices.whenDone(saveEdits(), texts.theDetailsAreSaved, (back) => save.mutateAsync(back))
  return (
    <Form onSubmit={submit}>
      <AskBeforeLeaving
        what={texts.theDetails}
        isUnsaved={FIELDS.some((name) => shown[name] !== organization[name])}
      />
      <TextField
        label={texts.name}
        description={texts.nameHint}
        required
        maxLength={200}
        readOnly={!may}
        value={shown.name}
        onText={(name) => setEdits({ ...edits, name })}
        error={faults.get('name')}
      />
      <TextField
        label={texts.contactForResearchers}
        description={texts.contactForResearchersHint}
        maxLength={320}
        readOnly={!may}
        value={shown.contact}
        onText={(contact) => setEdits({ ...edits, contact })}
        error={faults.get('contact')}
      />
      <TextField
        type="number"
        label={texts.leaseSeconds}
        description={texts.leaseSecondsHint}
        min={LEASE_SECONDS_MIN}
        max={LEASE_SECONDS_MAX}
        readOnly={!may}
        value={shown.leaseSeconds ?? ''}
        onText={(text) => setEdits({ ...edits, leaseSeconds: text === '' ? null : Number(text) })}
        error={faults.get('leaseSeconds')}
      />
      {may ? <FormEnd action={texts.save} isPending={save.isPending} /> : null}
    </Form>
  )
}
