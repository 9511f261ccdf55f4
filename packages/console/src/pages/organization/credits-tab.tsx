import type { CreditEntry } from '@sallyport/contract'
import { useOrganization } from '../../api/queries/account-queries.ts'
import { useCreditLedger } from '../../api/queries/organization-queries.ts'
import { EmptyState } from '../../design/feedback/states.tsx'
import { wholeNumber } from '../../design/number.ts'
import { Panel } from '../../design/page/panel.tsx'
import { type Column, PagedTable } from '../../design/table/table.tsx'
import { useTime } from '../../design/time/time.tsx'

/** The balance and the append-only ledger behind it. */
export function CreditsTab() {
  const organization = useOrganization()
  const time = useTime()
  const ledger = useCreditLedger()
  const columns: readonly Column<CreditEntry>[] = [
    { head: 'When', cell: (entry) => <time>{time.full(entry.creationDate)}</time> },
    { head: 'For', cell: (entry) => entry.reason },
    { head: 'By', secondary: true, cell: (entry) => entry.createdBy },
    {
      head: 'Amount',
      align: 'end',
      cell: (entry) => `${entry.amount > 0 ? '+' : '−'}${wholeNumber(Math.abs(entry.amount))}`,
    },
    { head: 'Balance', align: 'end', cell: (entry) => wholeNumber(entry.balance) },
  ]
  return (
    <Panel
      title={organization.data ? `${wholeNumber(organization.data.credits)} credits` : 'Credits'}
      description="Granted by the operator. Entries are never changed."
      flush
    >
      <PagedTable
        query={ledger}
        empty={<EmptyState icon="organization" title="No entry yet" />}
        label="Credit ledger"
        rowKey={(entry) => entry.id}
        columns={columns}
      />
    </Panel>
  )
}
