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
import { texts } from './texts.ts'

const STATES = Object.keys(STATE_WORDS) as ApiOperationState[]
const STATE_CHOICES = [
  { value: 'all', label: texts.allStates },
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
      title={texts.operations}
      description={texts.operationsHint}
      flush
      busy={list.isPlaceholderData}
      actions={
        <>
          <SearchField aria-label={texts.searchOperations} value={search} onText={setSearch} />
          <Choice
            size="xs"
            aria-label={texts.state}
            choices={STATE_CHOICES}
            value={state}
            onChange={setState}
          />
        </>
      }
    >
      <PagedTable
        query={list}
        label={texts.operations}
        columns={columnsOf(site.id, may)}
        rowKey={operationKey}
        empty={
          <EmptyState
            icon="traffic"
            title={
              list.isPlaceholderData || filter.state || filter.search
                ? texts.noOperationsMatch
                : texts.noOperationsKnownYet
            }
          >
            {texts.operationsComeFromUploaded}
          </EmptyState>
        }
      />
    </Panel>
  )
}

const columnsOf = (siteId: string, may: boolean): readonly Column<ApiOperation>[] => [
  { head: texts.operation, cell: (operation) => <OperationName siteId={siteId} operation={operation} /> },
  { head: texts.state, cell: ({ state }) => <OperationState state={state} /> },
  ...evidenceColumns<ApiOperation>((operation) => operation),
  ...(may
    ? [
        {
          head: texts.definition,
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
