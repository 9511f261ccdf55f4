import { TextInput } from '@mantine/core'
import type { Role } from '@sallyport/contract'
import { useState } from 'react'
import { useApiKeyCreation } from '../../api/queries/access-queries.ts'
import { CopyField, SecretOnce } from '../../design/form/copy.tsx'
import { LocalTimeInput } from '../../design/form/local-time-input.tsx'
import { SecretForm } from '../../design/form/secret-form.tsx'
import { fromLocalInput } from '../../design/time/local-time.ts'
import { useTime } from '../../design/time/time.tsx'
import { RoleSelect } from './role-select.tsx'

/** Creates an API key and shows it, once. */
export function KeyForm({ onDone }: { readonly onDone: () => void }) {
  const { zone } = useTime()
  const [name, setName] = useState('')
  const [role, setRole] = useState<Role>('admin')
  const [until, setUntil] = useState('')
  const create = useApiKeyCreation()
  return (
    <SecretForm
      action="Create"
      make={() => create({ name, role, expires: fromLocalInput(until, zone) })}
      onDone={onDone}
      secrets={(created) => (
        <>
          <SecretOnce label={created.name} value={created.key} />
          <CopyField
            label="Try it"
            value={`curl -H 'Authorization: Bearer ${created.key}' ${location.origin}/api/sites`}
          />
        </>
      )}
    >
      <TextInput
        label="Name"
        description="What uses it, so that you know what stops when you revoke it."
        required
        data-autofocus
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
      />
      <RoleSelect role={role} onChange={setRole} />
      <LocalTimeInput
        label="Expires"
        description="Empty: never"
        value={until}
        onChange={(event) => setUntil(event.currentTarget.value)}
      />
    </SecretForm>
  )
}
