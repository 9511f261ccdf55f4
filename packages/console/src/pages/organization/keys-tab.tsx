/** API keys, for pipelines: created, shown once, rotated, revoked. */

import { Button, Modal } from '@mantine/core'
import type { ApiKey, Role } from '@sallyport/contract'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useServices } from '../../api/api.tsx'
import { usePermission } from '../../api/queries/account-queries.ts'
import { useApiKeyCreation, useApiKeyRotation, useApiKeys } from '../../api/queries/organization-queries.ts'
import { ConfirmButton } from '../../design/dialog/confirm-dialog.tsx'
import { AddButton } from '../../design/dialog/dialog-button.tsx'
import { useNotices, useNotifiedMutation } from '../../design/feedback/notices.tsx'
import { EmptyState } from '../../design/feedback/states.tsx'
import { CopyField, SecretOnce } from '../../design/form/copy.tsx'
import { TextField } from '../../design/form/fields.tsx'
import { Buttons } from '../../design/form/form.tsx'
import { SecretForm } from '../../design/form/secret-form.tsx'
import { InstantField } from '../../design/form/time-field.tsx'
import { isolated } from '../../design/isolated.ts'
import { Panel } from '../../design/page/panel.tsx'
import { type Column, PagedTable } from '../../design/table/table.tsx'
import { RelativeTime } from '../../design/time/time.tsx'
import { RoleSelect } from './role-select.tsx'

export function KeysTab() {
  const keys = useApiKeys()
  const may = usePermission('keys:write')
  return (
    <Panel
      title="API keys"
      description="For automation. A key acts for the organization until it expires or is revoked."
      flush
      actions={
        <AddButton may={may} label="Create a key" title="Create an API key" size="lg" form={KeyForm} />
      }
    >
      <PagedTable
        query={keys}
        empty={
          <EmptyState icon="key" title="No API keys yet">
            Give each pipeline or script its own key, so that each can be revoked alone.
          </EmptyState>
        }
        label="API keys"
        rowKey={(key) => key.id}
        columns={columnsOf(may)}
      />
    </Panel>
  )
}

const columnsOf = (may: boolean): readonly Column<ApiKey>[] => [
  {
    head: 'Key',
    cell: (key) => (
      <div>
        <strong>{key.name}</strong>
        <div className="soft mono">{key.visiblePart}</div>
      </div>
    ),
  },
  { head: 'Role', cell: (key) => <span className="nowrap">{key.role}</span> },
  { head: 'Last used', cell: (key) => <RelativeTime instant={key.lastUsed} otherwise="never" /> },
  {
    head: 'Expires',
    secondary: true,
    cell: (key) => <RelativeTime instant={key.expires} otherwise="never" />,
  },
  { head: 'Created by', secondary: true, cell: (key) => key.createdBy },
  { head: 'Actions', align: 'end', cell: (key) => (may ? <KeyActions apiKey={key} /> : null) },
]

/** Creates an API key and shows it, once. */
function KeyForm({ onDone }: { readonly onDone: () => void }) {
  const [name, setName] = useState('')
  const [role, setRole] = useState<Role>('admin')
  const [expires, setExpires] = useState<string | null>(null)
  const create = useApiKeyCreation()
  return (
    <SecretForm
      action="Create"
      make={() => create({ body: { name, role, expires } })}
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
      <TextField
        label="Name"
        description="What will use it, so that you know what stops when you revoke it."
        required
        data-autofocus
        value={name}
        onText={setName}
      />
      <RoleSelect role={role} onChange={setRole} />
      <InstantField
        label="Expires"
        description="Leave empty for never"
        value={expires}
        onInstant={setExpires}
      />
    </SecretForm>
  )
}

/** Rotates or revokes a key. */
function KeyActions({ apiKey }: { readonly apiKey: ApiKey }) {
  const { api } = useServices()
  const queryClient = useQueryClient()
  const notices = useNotices()
  const rotate = useNotifiedMutation(useApiKeyRotation())
  const revoke = async () => {
    await api.call('apiKeysRevoke', { params: { id: apiKey.id } })
    notices.done(`"${isolated(apiKey.name)}" is revoked.`)
    await queryClient.invalidateQueries({ queryKey: ['api-keys'] })
  }
  return (
    <Buttons>
      <Button
        variant="default"
        loading={rotate.isPending}
        onClick={() => rotate.mutate({ params: { id: apiKey.id }, body: {} })}
      >
        Rotate
      </Button>
      <ConfirmButton
        label="Revoke"
        button={{ variant: 'default', 'aria-label': `Revoke ${apiKey.name}` }}
        title="Revoke this key?"
        action="Revoke key"
        onConfirm={revoke}
      >
        <strong>{apiKey.name}</strong> is refused everywhere within a second. It cannot be brought back.
      </ConfirmButton>
      <Modal opened={rotate.data !== undefined} onClose={rotate.reset} size="lg" title="The new key">
        {rotate.data ? <SecretOnce label={rotate.data.name} value={rotate.data.key} /> : null}
        <p className="soft">
          The old key keeps working for one hour, so that whatever uses it can switch over.
        </p>
      </Modal>
    </Buttons>
  )
}
