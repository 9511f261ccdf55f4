/** API keys, for pipelines: created, shown once, rotated, revoked. */
import type { ApiKey } from '@sallyport/contract'
import { useApiKeys } from '../../api/queries/access-queries.ts'
import { usePermission } from '../../api/queries/account-queries.ts'
import { DialogButton } from '../../design/feedback/dialog-button.tsx'
import { EmptyState } from '../../design/feedback/states.tsx'
import { Panel } from '../../design/page/panel.tsx'
import { MoreButton } from '../../design/table/more-button.tsx'
import { QueryTable } from '../../design/table/query-table.tsx'
import type { Column } from '../../design/table/table.tsx'
import { RelativeTime } from '../../design/time/time.tsx'
import { KeyActions } from './key-actions.tsx'
import { KeyForm } from './key-form.tsx'

export function KeysTab() {
  const keys = useApiKeys()
  const may = usePermission('keys:write')
  return (
    <Panel
      title="API keys"
      description="For automation. A key acts for the organization until it expires or is revoked."
      flush
      actions={
        may ? (
          <DialogButton label="Create a key" icon="plus" title="Create an API key" size="lg">
            {(close) => <KeyForm onDone={close} />}
          </DialogButton>
        ) : null
      }
    >
      <QueryTable
        query={keys}
        rows={keys.rows}
        empty={
          <EmptyState icon="key" title="No key yet">
            Pipelines and scripts call the API with a key of their own, so that each can be revoked alone.
          </EmptyState>
        }
        label="API keys"
        rowKey={(key) => key.id}
        columns={columnsOf(may)}
      />
      <MoreButton list={keys} />
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
  { head: 'Role', cell: (key) => key.role },
  { head: 'Last used', cell: (key) => <RelativeTime instant={key.lastUsed} otherwise="never" /> },
  {
    head: 'Expires',
    secondary: true,
    cell: (key) => <RelativeTime instant={key.expires} otherwise="never" />,
  },
  { head: 'Created by', secondary: true, cell: (key) => key.createdBy },
  { head: 'Change', align: 'end', cell: (key) => (may ? <KeyActions apiKey={key} /> : null) },
]
