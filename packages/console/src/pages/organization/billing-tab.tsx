import type { Billing } from '@sallyport/contract'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useApiQuery } from '../../api/api-query.ts'
import { previousValues, readModifyWrite, unsavedEdits } from '../../api/concurrent-edits.ts'
import { usePermission } from '../../api/queries/account-queries.ts'
import { useServices } from '../../api/services.tsx'
import { AskBeforeLeaving } from '../../design/dialog/ask-before-leaving.tsx'
import { useNotices } from '../../design/feedback/notices.tsx'
import { QueryState } from '../../design/feedback/states.tsx'
import { TextField } from '../../design/form/fields.tsx'
import { FieldRow, Form, FormEnd } from '../../design/form/form.tsx'
import { Panel } from '../../design/page/panel.tsx'

const FIELDS = [
  { name: 'bussinessName', label: 'Business name' },
  { name: 'vat', label: 'VAT number' },
  { name: 'address', label: 'Address' },
  { name: 'addressLine2', label: 'Address, second line' },
  { name: 'zipCode', label: 'Post code' },
  { name: 'city', label: 'City' },
  { name: 'state', label: 'State' },
  { name: 'country', label: 'Country' },
  { name: 'email', label: 'E-mail address for invoices' },
] as const satisfies readonly { readonly name: keyof Billing; readonly label: string }[]

/** The billing details: one record, which the API replaces as a whole. What was not edited here is saved as it is now. */
export function BillingTab() {
  const billing = useApiQuery(['billing'], 'billingGet', {})
  return (
    <Panel title="Billing details">
      <QueryState query={billing} />
      {billing.data ? <BillingForm billing={billing.data} /> : null}
    </Panel>
  )
}

function BillingForm({ billing }: { readonly billing: Billing }) {
  const { api } = useServices()
  const queryClient = useQueryClient()
  const notices = useNotices()
  const may = usePermission('billing:write')
  const [edits, setEdits] = useState<Partial<Billing>>({})
  const save = useMutation({
    mutationFn: (changes: Partial<Billing>) =>
      readModifyWrite(
        () => api.callVersioned('billingGet', {}),
        async (before, options) => ({
          before,
          after: await api.call('billingSave', { body: { ...before, ...changes } }, options),
        }),
      ),
    onSuccess: ({ after }) => queryClient.setQueryData(['billing'], after),
  })
  const saveEdits = async () => {
    const { before } = await save.mutateAsync(edits)
    setEdits((now) => unsavedEdits(now, edits))
    return previousValues(before, edits)
  }
  const submit = () =>
    notices.whenDone(saveEdits(), 'Billing details saved.', (back) => save.mutateAsync(back))
  return (
    <Form onSubmit={submit}>
      <AskBeforeLeaving
        what="The billing details"
        isUnsaved={FIELDS.some(({ name }) => (edits[name] ?? billing[name]) !== billing[name])}
      />
      <FieldRow>
        {FIELDS.map((field) => (
          <TextField
            key={field.name}
            label={field.label}
            type={field.name === 'email' ? 'email' : 'text'}
            readOnly={!may}
            value={edits[field.name] ?? billing[field.name]}
            onText={(text) => setEdits({ ...edits, [field.name]: text })}
          />
        ))}
      </FieldRow>
      {may ? <FormEnd action="Save" isPending={save.isPending} /> : null}
    </Form>
  )
}
