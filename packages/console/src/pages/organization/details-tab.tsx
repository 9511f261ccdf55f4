/** What the organization is called, the contact for researchers, and for how long cut-off gateways go on. */
import { LEASE_SECONDS_MAX, LEASE_SECONDS_MIN, type OrganizationDetails } from '@sallyport/contract'
import { useApiChange } from '../../api/api-query.ts'
import { readModifyWrite } from '../../api/concurrent-edits.ts'
import { fieldFaults } from '../../api/error-words.ts'
import { storeOrganization, useOrganization, usePermission } from '../../api/queries/account-queries.ts'
import { AskBeforeLeaving } from '../../design/dialog/ask-before-leaving.tsx'
import { QueryState } from '../../design/feedback/states.tsx'
import { TextField } from '../../design/form/fields.tsx'
import { Form, FormEnd } from '../../design/form/form.tsx'
import { Panel } from '../../design/page/panel.tsx'
import { texts } from './texts.ts'
import { useRecordForm } from './use-record-form.ts'

type Editable = Pick<OrganizationDetails, 'name' | 'contact' | 'leaseSeconds'>

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
  const may = usePermission('organization:write')
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
  const { shown, isUnsaved, edit, submit } = useRecordForm<Editable>(
    organization,
    save.mutateAsync,
    texts.theDetailsAreSaved,
  )
  const faults = fieldFaults(save.error)
  return (
    <Form onSubmit={submit}>
      <AskBeforeLeaving what={texts.theDetails} isUnsaved={isUnsaved} />
      <TextField
        label={texts.name}
        description={texts.nameHint}
        required
        maxLength={200}
        readOnly={!may}
        value={shown.name}
        onText={(name) => edit({ name })}
        error={faults.get('name')}
      />
      <TextField
        label={texts.contactForResearchers}
        description={texts.contactForResearchersHint}
        maxLength={320}
        readOnly={!may}
        value={shown.contact}
        onText={(contact) => edit({ contact })}
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
        onText={(text) => edit({ leaseSeconds: text === '' ? null : Number(text) })}
        error={faults.get('leaseSeconds')}
      />
      {may ? <FormEnd action={texts.save} isPending={save.isPending} isUnchanged={!isUnsaved} /> : null}
    </Form>
  )
}
