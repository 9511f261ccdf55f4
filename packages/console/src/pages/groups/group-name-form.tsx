import type { SiteGroup } from '@sallyport/contract'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { useServices } from '../../api/api.tsx'
import { useGroupChanges, useGroupCreation } from '../../api/queries/group-queries.ts'
import { useNotices } from '../../design/feedback/notices.tsx'
import { TextField } from '../../design/form/fields.tsx'
import { Form, FormEnd } from '../../design/form/form.tsx'

/** Makes a group, or renames the one that is given. */
export function GroupNameForm(props: { readonly group?: SiteGroup; readonly onDone: () => void }) {
  const { group, onDone } = props
  const [gatedName, setGatedName] = useState(group?.gatedName ?? '')
  const notices = useNotices()
  const { config } = useServices()
  const create = useGroupCreation()
  const creation = useMutation({ mutationFn: (name: string) => create({ body: { gatedName: name } }) })
  const { rename } = useGroupChanges(group?.id ?? '')
  const { mutate, isPending, error } = group ? rename : creation
  const save = () =>
    mutate(gatedName, {
      onSuccess: () => {
        onDone()
        notices.done(group ? 'The group is renamed, with its sites.' : 'The group is added.')
      },
    })
  return (
    <Form onSubmit={save}>
      <TextField
        label="Gated name"
        description={`One label under ${config.gateDomain}. The hosts of its sites lie under it, and need a certificate for them.`}
        required
        data-autofocus
        value={gatedName}
        onText={setGatedName}
      />
      <FormEnd action={group ? 'Rename' : 'Add'} isPending={isPending} error={error} />
    </Form>
  )
}
