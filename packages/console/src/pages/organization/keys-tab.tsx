/** API keys, for pipelines: created, shown once, rotated, revoked. */
import { Button, Modal, TextInput } from '@mantine/core'
import type { ApiKey, Role } from '@sallyport/contract'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { Input } from '../../api/api.ts'
import { useOnce } from '../../api/once.ts'
import { useApiKeys } from '../../api/queries/access-queries.ts'
import { useMay } from '../../api/queries/account-queries.ts'
import { useServices } from '../../api/services.tsx'
import { ConfirmDialog } from '../../design/feedback/confirm.tsx'
import { useNotices } from '../../design/feedback/notices.tsx'
import { EmptyState, ErrorState, LoadingState } from '../../design/feedback/states.tsx'
import { CopyField, SecretOnce } from '../../design/form/copy.tsx'
import form from '../../design/form/form.module.css'
import { LocalTimeInput } from '../../design/form/local-time-input.tsx'
import { SecretForm } from '../../design/form/secret-form.tsx'
import { Icon } from '../../design/icon.tsx'
import { Panel } from '../../design/page/panel.tsx'
import { MoreButton } from '../../design/table/more-button.tsx'
import { Table } from '../../design/table/table.tsx'
import { fromLocalInput } from '../../design/time/local-time.ts'
import { RelativeTime, useTime } from '../../design/time/time.tsx'
import { RoleSelect } from './role-select.tsx'

export function KeysTab() {
  const keys = useApiKeys()
  const may = useMay('keys:write')
  const [creating, setCreating] = useState(false)
  return (
    <Panel
      title="API keys"
      description="For automation. A key acts for the organization until it expires or is revoked."
      flush
      actions={
        may ? (
          <Button leftSection={<Icon name="plus" size={14} />} onClick={() => setCreating(true)}>
            Create a key
          </Button>
        ) : null
      }
    >
      {keys.isPending ? <LoadingState /> : null}
      {keys.error ? <ErrorState error={keys.error} onRetry={() => void keys.refetch()} /> : null}
      {keys.data && keys.rows.length === 0 ? (
        <EmptyState icon="key" title="No key yet">
          Pipelines and scripts call the API with a key of their own, so that each can be revoked alone.
        </EmptyState>
      ) : null}
      {keys.rows.length > 0 ? (
        <Table
          label="API keys"
          rows={keys.rows}
          rowKey={(key) => key.id}
          columns={[
            {
              head: 'Key',
              cell: (key) => (
                <div>
                  <strong>{key.name}</strong>
                  <div className="soft mono">{key.visiblePart}</div>
                </div>
              ),
            },
            { head: 'Role', cell: (key) => key.role },
            { head: 'Last used', cell: (key) => <OptionalTime instant={key.lastUsed} otherwise="never" /> },
            {
              head: 'Expires',
              secondary: true,
              cell: (key) => <OptionalTime instant={key.expires} otherwise="never" />,
            },
            { head: 'Created by', secondary: true, cell: (key) => key.createdBy },
            { head: 'Change', align: 'end', cell: (key) => (may ? <KeyActions apiKey={key} /> : null) },
          ]}
        />
      ) : null}
      <MoreButton list={keys} />
      <Modal opened={creating} onClose={() => setCreating(false)} size="lg" title="Create an API key">
        <KeyForm onDone={() => setCreating(false)} />
      </Modal>
    </Panel>
  )
}

function OptionalTime({
  instant,
  otherwise,
}: {
  readonly instant: string | null
  readonly otherwise: string
}) {
  return instant ? <RelativeTime instant={instant} /> : <span className="soft">{otherwise}</span>
}

function KeyForm({ onDone }: { readonly onDone: () => void }) {
  const { api } = useServices()
  const queryClient = useQueryClient()
  const { zone } = useTime()
  const [name, setName] = useState('')
  const [role, setRole] = useState<Role>('admin')
  const [until, setUntil] = useState('')
  const createOnce = useOnce((body: Input<'apiKeysCreate'>['body'], options) =>
    api.call('apiKeysCreate', { body }, options),
  )
  const create = async () => {
    const created = await createOnce({ name, role, expires: fromLocalInput(until, zone) })
    await queryClient.invalidateQueries({ queryKey: ['api-keys'] })
    return created
  }
  return (
    <SecretForm
      action="Create"
      make={create}
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

function KeyActions({ apiKey }: { readonly apiKey: ApiKey }) {
  const { api } = useServices()
  const queryClient = useQueryClient()
  const notices = useNotices()
  const [revoking, setRevoking] = useState(false)
  const refresh = () => queryClient.invalidateQueries({ queryKey: ['api-keys'] })
  const rotateOnce = useOnce((id: string, options) =>
    api.call('apiKeysRotate', { params: { id }, body: {} }, options),
  )
  const rotate = useMutation({
    mutationFn: () => rotateOnce(apiKey.id),
    onSuccess: refresh,
    onError: (error) => notices.failed(error),
  })
  const revoke = async () => {
    await api.call('apiKeysRevoke', { params: { id: apiKey.id } })
    notices.done(`"${apiKey.name}" is revoked.`)
    await refresh()
  }
  return (
    <div className={form.buttons}>
      <Button variant="default" loading={rotate.isPending} onClick={() => rotate.mutate()}>
        Rotate
      </Button>
      <Button variant="default" onClick={() => setRevoking(true)} aria-label={`Revoke ${apiKey.name}`}>
        Revoke
      </Button>
      <Modal opened={rotate.data !== undefined} onClose={rotate.reset} size="lg" title="The new key">
        {rotate.data ? <SecretOnce label={rotate.data.name} value={rotate.data.key} /> : null}
        <p className="soft">The old key works for an hour more, so that whatever uses it can change over.</p>
      </Modal>
      <ConfirmDialog
        opened={revoking}
        title="Revoke this key?"
        action="Revoke key"
        danger
        onConfirm={revoke}
        onClose={() => setRevoking(false)}
      >
        <strong>{apiKey.name}</strong> is refused everywhere within a second. It cannot be brought back.
      </ConfirmDialog>
    </div>
  )
}
