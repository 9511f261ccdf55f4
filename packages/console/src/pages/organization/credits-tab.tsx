import type { CreditEntry } from '@sallyport/contract'
import { useOrganization } from '../../api/queries/account-queries.ts'
import { useCreditLedger } from '../../api/queries/organization-queries.ts'
import { EmptyState } from '../../design/feedback/states.tsx'
import { Panel } from '../../design/page/panel.tsx'
import { type Column, PagedTable } from '../../design/table/table.tsx'
import { useTime } from '../../design/time/time.tsx'
import { wholeNumber } from '../../language/number.ts'
import { texts } from './texts.ts'

/** The balance and the append-only ledger behind it. */
export function CreditsTab() {
  const organization = useOrganization()
  const time = useTime()
  const ledger = useCreditLedger()
  const columns: readonly Column<CreditEntry>[] = [
    { head: texts.when, cell: (entry) => <time>{time.full(entry.creationDate)}</time> },
    { head: texts.for, cell: (entry) => entry.reason },
    { head: texts.by, secondary: true, cell: (entry) => entry.createdBy },
    {
      head: texts.amount,
      align: 'end',
      cell: (entry) => `${entry.amount > 0 ? '+' : '−'}${wholeNumber(Math.abs(entry.amount))}`,
    },
    { head: texts.balance, align: 'end', cell: (entry) => wholeNumber(entry.balance) },
  ]
  return (
    <Panel
      title={organization.data ? texts.creditsCredits(organization.data.credits) : texts.credits}
      description={texts.grantedByTheOperator}
      flush
    >
      <PagedTable
        query={ledger}
        empty={<EmptyState icon="organization" title={texts.noEntryYet} />}
        label={texts.creditLedger}
        rowKey={(entry) => entry.id}
        columns={columns}
      />
    </Panel>
  )
}
