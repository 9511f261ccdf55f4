import { usePages } from '../../api/pages.ts'
import { useOrganization } from '../../api/queries/organization-queries.ts'
import { useServices } from '../../api/services.tsx'
import { EmptyState, ErrorState, LoadingState } from '../../design/feedback/states.tsx'
import { wholeNumber } from '../../design/number.ts'
import { Panel } from '../../design/page/panel.tsx'
import { MoreButton } from '../../design/table/more-button.tsx'
import { Table } from '../../design/table/table.tsx'
import { useTime } from '../../design/time/time.tsx'

/** The balance and the append-only ledger behind it. */
export function CreditsTab() {
  const { api } = useServices()
  const organization = useOrganization()
  const time = useTime()
  const ledger = usePages(['credits'], (query, signal) =>
    api.call('organizationListCredits', { query }, { signal }),
  )
  return (
    <Panel
      title={organization.data ? `${wholeNumber(organization.data.credits)} credits` : 'Credits'}
      description="Granted by the operator; every grant and charge is an entry that is never changed."
      flush
    >
      {ledger.isPending ? <LoadingState /> : null}
      {ledger.error ? <ErrorState error={ledger.error} onRetry={() => void ledger.refetch()} /> : null}
      {ledger.data && ledger.rows.length === 0 ? (
        <EmptyState icon="organization" title="No entry yet" />
      ) : null}
      {ledger.rows.length > 0 ? (
        <Table
          label="Credit ledger"
          rows={ledger.rows}
          rowKey={(entry) => entry.id}
          columns={[
            { head: 'When', cell: (entry) => <time>{time.full(entry.creationDate)}</time> },
            { head: 'For', cell: (entry) => entry.reason },
            { head: 'By', secondary: true, cell: (entry) => entry.createdBy },
            {
              head: 'Amount',
              align: 'end',
              cell: (entry) => `${entry.amount > 0 ? '+' : '−'}${wholeNumber(Math.abs(entry.amount))}`,
            },
            { head: 'Balance', align: 'end', cell: (entry) => wholeNumber(entry.balance) },
          ]}
        />
      ) : null}
      <MoreButton list={ledger} />
    </Panel>
  )
}
