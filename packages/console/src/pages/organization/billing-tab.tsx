import type { Billing } from '@sallyport/contract'
import { useApiChange, useApiQuery } from '../../api/api-query.ts'
import { readModifyWrite } from '../../api/concurrent-edits.ts'
import { usePermission } from '../../api/queries/account-queries.ts'
import { AskBeforeLeaving } from '../../design/dialog/ask-before-leaving.tsx'
import { QueryState } from '../../design/feedback/states.tsx'
import { TextField } from '../../design/form/fields.tsx'
import { FieldRow, Form, FormEnd } from '../../design/form/form.tsx'
import { Panel } from '../../design/page/panel.tsx'
import { texts } from './texts.ts'
import { useRecordForm } from './use-record-form.ts'

const LABELS: Readonly<Record<keyof Billing, string>> = {
  bussinessName: texts.businessName,
  vat: texts.vatNumber,
  address: texts.address,
  addressLine2: texts.addressSecondLine,
  zipCode: texts.postCode,
  city: texts.city,
  state: texts.state,
  country: texts.country,
  email: texts.emailAddressForInvoices,
}
// The table has the fields of the type and no other.
const FIELDS = Object.keys(LABELS) as readonly (keyof Billing)[]

/** The billing details: one record, which the API replaces as a whole. What was not edited here is saved as it is now. */
export function BillingTab() {
  const billing = useApiQuery(['billing'], 'billingGet', {})
  return (
    <Panel title={texts.billingDetails}>
      <QueryState query={billing} />
      {billing.data ? <BillingForm billing={billing.data} /> : null}
    </Panel>
  )
}

function BillingForm({ billing }: { readonly billing: Billing }) {
  const may = usePermission('billing:write')
  const save = useApiChange(
    (api, changes: Partial<Billing>) =>
      readModifyWrite(
        () => api.callVersioned('billingGet', {}),
        async (before, options) => ({
          before,
          after: await api.call('billingSave', { body: { ...before, ...changes } }, options),
        }),
      ),
    (queryClient, { after }) => queryClient.setQueryData(['billing'], after),
  )
  const { shown, isUnsaved, edit, submit } = useRecordForm(
    billing,
    save.mutateAsync,
    texts.billingDetailsSaved,
  )
  return (
    <Form onSubmit={submit}>
      <AskBeforeLeaving what={texts.theBillingDetails} isUnsaved={isUnsaved} />
      <FieldRow>
        {FIELDS.map((name) => (
          <TextField
            key={name}
            label={LABELS[name]}
            type={name === 'email' ? 'email' : 'text'}
            readOnly={!may}
            value={shown[name]}
            onText={(text) => edit({ [name]: text })}
          />
        ))}
      </FieldRow>
      {may ? <FormEnd action={texts.save} isPending={save.isPending} isUnchanged={!isUnsaved} /> : null}
    </Form>
  )
}
