/** What was learned of an API: its operations, each with its state and the evidence for it. */
import { Panel } from '../../../design/page/panel.tsx'
import { Status, Tag } from '../../../design/table/status.tsx'
import { type Column, Table } from '../../../design/table/table.tsx'
import { RelativeTime } from '../../../design/time/time.tsx'
import type { ShownOperation } from './learned-operations.ts'

const COLUMNS: readonly Column<ShownOperation>[] = [
  {
    head: 'Operation',
    cell: ({ method, path }) => (
      <>
        <Tag>{method}</Tag> <code>{path}</code>
      </>
    ),
  },
  {
    head: 'State',
    cell: ({ isCandidate }) =>
      isCandidate ? <Status tone="warn">Candidate</Status> : <Status tone="good">Learned</Status>,
  },
  {
    head: 'Researchers',
    align: 'end',
    cell: ({ researchers }) => (researchers >= 8 ? '8 or more' : researchers),
  },
  { head: 'Requests', align: 'end', cell: ({ requests }) => requests.toLocaleString('en') },
  { head: 'With a hit', align: 'end', secondary: true, cell: ({ covered }) => covered.toLocaleString('en') },
  { head: 'Last seen', secondary: true, cell: ({ lastSeen }) => <RelativeTime instant={lastSeen} /> },
]

export function OperationsPanel({ operations }: { readonly operations: readonly ShownOperation[] }) {
  return (
    <Panel
      title="Learned operations"
      description="A candidate becomes learned once three researchers were served by it."
      flush
    >
      <Table
        label="Learned operations"
        columns={COLUMNS}
        rows={operations}
        rowKey={({ method, path }) => `${method} ${path}`}
      />
    </Panel>
  )
}
