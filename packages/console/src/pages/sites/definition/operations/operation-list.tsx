/** The operations of a site's API: those that are given, confirmed and learned, each with its evidence. */
import type { ApiOperation, ApiOperationState, Site } from '@sallyport/contract'
import { useState } from 'react'
import { useApiPages } from '../../../../api/api-query.ts'
import { usePermission } from '../../../../api/queries/account-queries.ts'
import { EmptyState } from '../../../../design/feedback/states.tsx'
import { Choice, SearchField } from '../../../../design/form/fields.tsx'
import { Panel } from '../../../../design/page/panel.tsx'
import { type Column, PagedTable } from '../../../../design/table/table.tsx'
import { ConfirmButton } from './confirm-button.tsx'
import {
  evidenceColumns,
  OperationName,
  OperationState,
  operationKey,
  STATE_WORDS,
} from './operation-columns.tsx'

const STATES = Object.keys(STATE_WORDS) as ApiOperationState[]
const STATE_CHOICES = [
  { value: 'all', label: 'All states' },
  ...STATES.map((state) => ({ value: state, label: STATE_WORDS[state].label })),
] as const

export function OperationList({ site }: { readonly site: Site }) {
  const may = usePermission('sites:write')
  const [state, setState] = useState<ApiOperationState | 'all'>('all')
  const [search, setSearch] = useState('')
  const filter = { ...(state !== 'all' && { state }), ...(search !== '' && { search }) }
  const list = useApiPages(
    ['sites', site.id, 'definition', 'operations', filter],
    'sitesListOperations',
    { params: { id: site.id }, query: filter },
    { pageItems: 100, keepsPrevious: true },
  )
  return (
    <Panel
      title="Operations"
      description="Uploaded documents take precedence over confirmed operations, and those over what is learned from traffic. A candidate counts as learned once three researchers were served by it."
      flush
      busy={list.isPlaceholderData}
      actions={
        <>
          <SearchField aria-label="Search operations" value={search} onText={setSearch} />
          <Choice size="xs" aria-label="State" choices={STATE_CHOICES} value={state} onChange={setState} />
        </>
      }
    >
      <PagedTable
        query={list}
        label="Operations"
        columns={columnsOf(site.id, may)}
        rowKey={operationKey}
        empty={
          <EmptyState
            icon="traffic"
            title={
              list.isPlaceholderData || filter.state || filter.search
                ? 'No operations match'
                : 'No operations known yet'
            }
          >
            Operations come from uploaded documents, or are learned from traffic.
          </EmptyState>
        }
      />
    </Panel>
  )
}

const columnsOf = (siteId: string, may: boolean): readonly Column<ApiOperation>[] => [
  { head: 'Operation', cell: (operation) => <OperationName siteId={siteId} operation={operation} /> },
  { head: 'State', cell: ({ state }) => <OperationState state={state} /> },
  ...evidenceColumns<ApiOperation>((operation) => operation),
  ...(may
    ? [
        {
          head: 'Definition',
          cell: (operation: ApiOperation) => <Act siteId={siteId} operation={operation} />,
        },
      ]
    : []),
]

function Act({ siteId, operation }: { readonly siteId: string; readonly operation: ApiOperation }) {
  if (operation.state === 'given') return null
  const act = operation.state === 'confirmed' ? 'unconfirm' : 'confirm'
  return <ConfirmButton siteId={siteId} operation={operation} act={act} />
}
