/** API keys, for pipelines: created, shown once, rotated, revoked. */

import { Button } from '@mantine/core'
import type { ApiKey, Role } from '@sallyport/contract'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useServices } from '../../api/api.tsx'
import { usePermission } from '../../api/queries/account-queries.ts'
import { useApiKeyCreation, useApiKeyRotation, useApiKeys } from '../../api/queries/organization-queries.ts'
import { ConfirmButton } from '../../design/dialog/confirm-dialog.tsx'
import { Dialog } from '../../design/dialog/dialog.tsx'
import { AddButton } from '../../design/dialog/dialog-button.tsx'
import { useNotices, useNotifiedMutation } from '../../design/feedback/notices.tsx'
import { EmptyState } from '../../design/feedback/states.tsx'
import { CopyField, SecretOnce } from '../../design/form/copy.tsx'
import { TextField } from '../../design/form/fields.tsx'
import { Buttons } from '../../design/form/form.tsx'
import { SecretForm } from '../../design/form/secret-form.tsx'
import { InstantField } from '../../design/form/time-field.tsx'
import { Panel } from '../../design/page/panel.tsx'
import { type Column, PagedTable } from '../../design/table/table.tsx'
import { RelativeTime } from '../../design/time/time.tsx'
import { RoleSelect } from './role-select.tsx'
import { texts } from './texts.ts'

export function KeysTab() {
  const keys = useApiKeys()
  const may = usePermission('keys:write')
  return (
    <Panel
      title={texts.apiKeys}
      description={texts.apiKeysHint}
      flush
      actions={
        <AddButton may={may} label={texts.createAKey} title={texts.createAnApiKey} size="lg" form={KeyForm} />
      }
    >
      <PagedTable
        query={keys}
        empty={
          <EmptyState icon="key" title={texts.noApiKeysYet}>
            {texts.noApiKeysYetBody}
          </EmptyState>
        }
        label={texts.apiKeys}
        rowKey={(key) => key.id}
        columns={columnsOf(may)}
      />
    </Panel>
  )
}

const columnsOf = (may: boolean): readonly Column<ApiKey>[] => [
  {
    head: texts.key,
    cell: (key) => (
      <div>
        <strong>{key.name}</strong>
        <div className="soft mono">{key.visiblePart}</div>
      </div>
    ),
  },
  { head: texts.role, cell: (key) => <span className="nowrap">{key.role}</span> },
  { head: texts.lastUsed, cell: (key) => <RelativeTime instant={key.lastUsed} otherwise={texts.never} /> },
  {
    head: texts.expires,
    secondary: true,
    cell: (key) => <RelativeTime instant={key.expires} otherwise={texts.never} />,
  },
  { head: texts.createdBy, secondary: true, cell: (key) => key.createdBy },
  { head: texts.actions, align: 'end', cell: (key) => (may ? <KeyActions apiKey={key} /> : null) },
]

/** Creates an API key and shows it, once. */
function KeyForm({ onDone }: { readonly onDone: () => void }) {
  const [name, setName] = useState('')
  const [role, setRole] = useState<Role>('admin')
  const [expires, setExpires] = useState<string | null>(null)
  const create = useApiKeyCreation()
  return (
    <SecretForm
      action={texts.create}
      make={() => create({ body: { name, role, expires } })}
      onDone={onDone}
      secrets={(created) => (
        <>
          <SecretOnce label={created.name} value={created.key} />
          <CopyField
            label={texts.tryIt}
            value={`curl -H 'Authorization: Bearer ${created.key}' ${location.origin}/api/sites`}
          />
        </>
      )}
    >
      <TextField
        label={texts.name}
        description={texts.whatWillUse}
        required
        data-autofocus
        value={name}
        onText={setName}
      />
      <RoleSelect role={role} onChange={setRole} />
      <InstantField
        label={texts.expires}
        description={texts.leaveEmptyForNever}
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
    notices.done(texts.isRevoked(apiKey.name))
    await queryClient.invalidateQueries({ queryKey: ['api-keys'] })
  }
  return (
    <Buttons>
      <Button
        variant="default"
        aria-label={texts.rotateApiKey(apiKey.name)}
        loading={rotate.isPending}
        onClick={() => rotate.mutate({ params: { id: apiKey.id }, body: {} })}
      >
        {texts.rotate}
      </Button>
      <ConfirmButton
        label={texts.revoke}
        button={{ variant: 'default', 'aria-label': texts.revokeApiKey(apiKey.name) }}
        title={texts.revokeThisKey}
        action={texts.revokeKey}
        onConfirm={revoke}
      >
        {texts.revokeThisKeyBody(<strong>{apiKey.name}</strong>)}
      </ConfirmButton>
      <Dialog opened={rotate.data !== undefined} onClose={rotate.reset} size="lg" title={texts.theNewKey}>
        {rotate.data ? <SecretOnce label={rotate.data.name} value={rotate.data.key} /> : null}
        <p className="soft">{texts.theOldKeyKeeps}</p>
      </Dialog>
    </Buttons>
  )
}
