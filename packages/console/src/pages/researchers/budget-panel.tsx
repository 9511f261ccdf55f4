import type { HackerBudget, LimiterSettings, RateLimitPolicy } from '@sallyport/contract'
import { limiterWords } from '@sallyport/policy'
import { Link } from '@tanstack/react-router'
import { useBudget } from '../../api/traffic/story-queries.ts'
import { EmptyState } from '../../design/feedback/states.tsx'
import { wholeNumber } from '../../design/number.ts'
import { Panel } from '../../design/page/panel.tsx'
import { type Column, QueryTable } from '../../design/table/table.tsx'
import { BudgetGauge } from './budget-gauge.tsx'

type Limited = Omit<HackerBudget['sites'][number], 'policy'> & { readonly policy: RateLimitPolicy }

/** What limits hold for a researcher, site by site, and how much of each is used, as far as the record says. */
export function BudgetPanel({ researcherId }: { readonly researcherId: string }) {
  const budget = useBudget(researcherId)
  const { policies = [], sites = [] } = budget.data ?? {}
  const rows = sites.flatMap((limited): Limited[] => {
    const policy = policies.find(({ name }) => name === limited.policy)
    return policy ? [{ ...limited, policy }] : []
  })
  return (
    <Panel
      title="Budget"
      description="Rate limits of the sites that are open now. Usage is counted from the record, which is about two seconds behind the gate."
      flush
    >
      <QueryTable
        query={budget}
        label="Budget by site"
        rows={rows}
        rowKey={({ site }) => site.id}
        columns={columnsOf(researcherId)}
        empty={<EmptyState icon="clock" title="No open site has a rate limit" />}
      />
    </Panel>
  )
}

const columnsOf = (researcherId: string): readonly Column<Limited>[] => [
  {
    head: 'Site',
    cell: ({ site }) => (
      <Link to="/sites/$siteId/$tab" params={{ siteId: site.id, tab: 'settings' }}>
        {site.name}
      </Link>
    ),
  },
  { head: 'Per researcher', cell: ({ policy }) => shareWords(policy.perResearcher) },
  {
    head: 'Used',
    cell: ({ site, policy, used }) =>
      policy.perResearcher ? (
        <BudgetGauge
          label={`Share of ${site.name} used`}
          used={used ?? undefined}
          limit={policy.perResearcher.limit}
        />
      ) : null,
  },
  { head: 'Whole site', secondary: true, cell: ({ policy }) => limiterWords(policy.site) },
  {
    head: 'Refused, last 24 hours',
    align: 'end',
    cell: ({ site, refused }) => (
      <Link to="/traffic" search={{ hacker: [researcherId], site: [site.id], outcome: ['limit'] }}>
        {wholeNumber(refused)}
      </Link>
    ),
  },
]

const shareWords = (share: LimiterSettings | null): string => (share ? limiterWords(share) : 'no limit')
