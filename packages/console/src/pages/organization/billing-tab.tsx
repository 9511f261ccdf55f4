import type { Billing } from '@sallyport/contract'
import { useState } from 'react'
import { useApiChange, useApiQuery } from '../../api/api-query.ts'
import { previousValues, readModifyWrite, unsavedEdits } from '../../api/concurrent-edits.ts'
import { usePermission } from '../../api/queries/account-queries.ts'
import { AskBeforeLeaving } from '../../design/dialog/ask-before-leaving.tsx'
import { useNotices } from '../../design/feedback/notices.tsx'
import { QueryState } from '../../design/feedback/states.tsx'
import { TextField } from '../../design/form/fields.tsx'
import { FieldRow, Form, FormEnd } from '../../design/form/form.tsx'
import { Panel } from '../../design/page/panel.tsx'
import { texts } from './texts.ts'

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
  const notices = useNotices()
  const may = usePermission('billing:write')
  const [edits, setEdits] = useState<Partial<Billing>>({})
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
  const saveEdits = async () => {
    const { before } = await save.mutateAsync(edits)
    setEdits((now) => unsavedEdits(now, edits))
    return previousValues(before, edits)
  }
  const submit = () =>
    notices.whenDone(saveEdits(), texts.billingDetailsSaved, (back) => save.mutateAsync(back))
  return (
    <Form onSubmit={submit}>
      <AskBeforeLeaving
        what={texts.theBillingDetails}
        isUnsaved={FIELDS.some((name) => (edits[name] ?? billing[name]) !== billing[name])}
      />
      <FieldRow>
        {FIELDS.map((name) => (
          <TextField
            key={name}
            label={LABELS[name]}
            type={name === 'email' ? 'email' : 'text'}
            readOnly={!may}
            value={edits[name] ?? billing[name]}
            onText={(text) => setEdits({ ...edits, [name]: text })}
          />
        ))}
      </FieldRow>
      {may ? <FormEnd action={texts.save} isPending={save.isPending} /> : null}
    </Form>
  )
}
