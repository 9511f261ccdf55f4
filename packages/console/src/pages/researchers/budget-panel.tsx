import type { LimiterSettings, RateLimitPolicy, Site } from '@sallyport/contract'
import { limiterWords } from '@sallyport/policy'
import { Link } from '@tanstack/react-router'
import { usePolicies, useSites } from '../../api/queries/site-queries.ts'
import {
  type BudgetWindow,
  type CountBySite,
  useLimitRefusals,
  useSentWithin,
} from '../../api/traffic/story-queries.ts'
import { EmptyState, QueryState } from '../../design/feedback/states.tsx'
import { wholeNumber } from '../../design/number.ts'
import { Panel } from '../../design/page/panel.tsx'
import { type Column, Table } from '../../design/table/table.tsx'
import { BudgetGauge } from './budget-gauge.tsx'

interface Limited {
  readonly site: Site
  readonly policy: RateLimitPolicy
}

/** What limits hold for a researcher, site by site, and how much of each is used, as far as the record says. */
export function BudgetPanel({ researcherId }: { readonly researcherId: string }) {
  const sites = useSites()
  const policies = usePolicies()
  const rows = (sites.data ?? []).flatMap((site): Limited[] => {
    const policy = policies.data?.items.find((one) => one.name === site.rateLimit)
    return site.isActive && policy ? [{ site, policy }] : []
  })
  const sent = useSentWithin(
    researcherId,
    rows.flatMap(({ policy }) => windowOf(policy.perResearcher) ?? []),
  )
  const refused = useLimitRefusals(researcherId)
  const usedOf = ({ site, policy }: Limited): number | undefined => {
    const window = windowOf(policy.perResearcher)
    return window && sent(window)?.(site.id)
  }
  return (
    <Panel
      title="Budget"
      description="The limits of the sites that are open now; the gate enforces them. What is used is counted in the record, which is two seconds behind."
      flush
    >
      <QueryState query={sites} />
      {sites.data ? <QueryState query={policies} /> : null}
      {sites.data && policies.data && rows.length === 0 ? (
        <EmptyState icon="clock" title="No open site limits its requests" />
      ) : null}
      {rows.length > 0 ? (
        <Table
          label="Budget by site"
          rows={rows}
          rowKey={({ site }) => site.id}
          columns={columnsOf(researcherId, usedOf, refused)}
        />
      ) : null}
    </Panel>
  )
}

/** The time in which a limiter counts requests. What the other kinds have left depends on more than the record says. */
const windowOf = (limiter: LimiterSettings | null): BudgetWindow | undefined =>
  limiter?.kind === 'fixed' || limiter?.kind === 'sliding'
    ? { windowMs: limiter.windowMs, isAligned: limiter.kind === 'fixed' }
    : undefined

const columnsOf = (
  researcherId: string,
  usedOf: (row: Limited) => number | undefined,
  refused: CountBySite | undefined,
): readonly Column<Limited>[] => [
  {
    head: 'Site',
    cell: ({ site }) => (
      <Link to="/sites/$siteId/$tab" params={{ siteId: site.id, tab: 'settings' }}>
        {site.gatedName}
      </Link>
    ),
  },
  { head: 'Their share', cell: ({ policy }) => shareWords(policy.perResearcher) },
  {
    head: 'Used now',
    cell: (row) =>
      row.policy.perResearcher ? (
        <BudgetGauge
          label={`Share of ${row.site.gatedName} used`}
          used={usedOf(row)}
          limit={row.policy.perResearcher.limit}
        />
      ) : null,
  },
  { head: 'Whole site', secondary: true, cell: ({ policy }) => limiterWords(policy.site) },
  {
    head: 'Refused by limits, 24 hours',
    align: 'end',
    cell: ({ site }) => (
      <Link to="/traffic" search={{ hacker: [researcherId], site: [site.id], outcome: ['limit'] }}>
        {refused ? wholeNumber(refused(site.id)) : '–'}
      </Link>
    ),
  },
]

const shareWords = (share: LimiterSettings | null): string =>
  share ? limiterWords(share) : 'none of their own'
