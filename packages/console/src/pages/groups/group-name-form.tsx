import type { SiteGroup } from '@sallyport/contract'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { useServices } from '../../api/api.tsx'
import { useGroupChanges, useGroupCreation } from '../../api/queries/group-queries.ts'
import { useNotices } from '../../design/feedback/notices.tsx'
import { TextField } from '../../design/form/fields.tsx'
import { Form, FormEnd } from '../../design/form/form.tsx'
import { texts } from './texts.ts'

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
        notices.done(group ? texts.theGroupIsRenamed : texts.theGroupIsAdded)
      },
    })
  return (
    <Form onSubmit={save}>
      <TextField
        label={texts.gatedName}
        description={texts.gatedNameHint(config.gateDomain)}
        required
        data-autofocus
        value={gatedName}
        onText={setGatedName}
      />
      <FormEnd
        action={group ? texts.rename : texts.add}
        isPending={isPending}
        error={error}
        isUnchanged={gatedName === group?.gatedName}
      />
    </Form>
  )
}
