import type { HackerBudget, LimiterSettings, RateLimitPolicy } from '@sallyport/contract'
import { limiterWords } from '@sallyport/policy'
import { Link } from '@tanstack/react-router'
import { useBudget } from '../../api/traffic/story-queries.ts'
import { EmptyState } from '../../design/feedback/states.tsx'
import { Panel } from '../../design/page/panel.tsx'
import { type Column, QueryTable } from '../../design/table/table.tsx'
import { wholeNumber } from '../../language/number.ts'
import { BudgetGauge } from './budget-gauge.tsx'
import { texts } from './texts.ts'

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
    <Panel title={texts.budget} description={texts.budgetHint} flush>
      <QueryTable
        query={budget}
        label={texts.budgetBySite}
        rows={rows}
        rowKey={({ site }) => site.id}
        columns={columnsOf(researcherId)}
        empty={<EmptyState icon="clock" title={texts.noOpenSite} />}
      />
    </Panel>
  )
}

const columnsOf = (researcherId: string): readonly Column<Limited>[] => [
  {
    head: texts.site,
    cell: ({ site }) => (
      <Link to="/sites/$siteId/$tab" params={{ siteId: site.id, tab: 'settings' }}>
        {site.name}
      </Link>
    ),
  },
  { head: texts.perResearcher, cell: ({ policy }) => shareWords(policy.perResearcher) },
  {
    head: texts.used,
    cell: ({ site, policy, used }) =>
      policy.perResearcher ? (
        <BudgetGauge
          label={texts.shareOfUsed(site.name)}
          used={used ?? undefined}
          limit={policy.perResearcher.limit}
        />
      ) : null,
  },
  { head: texts.wholeSite, secondary: true, cell: ({ policy }) => limiterWords(policy.site) },
  {
    head: texts.refusedLast24Hours,
    align: 'end',
    cell: ({ site, refused }) => (
      <Link to="/traffic" search={{ hacker: [researcherId], site: [site.id], outcome: ['limit'] }}>
        {wholeNumber(refused)}
      </Link>
    ),
  },
]

const shareWords = (share: LimiterSettings | null): string => (share ? limiterWords(share) : texts.noLimit)
