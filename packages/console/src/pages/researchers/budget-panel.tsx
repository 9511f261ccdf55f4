import type { LimiterSettings, RateLimitPolicy, Site } from '@sallyport/contract'
import { limiterWords } from '@sallyport/policy'
import { Link } from '@tanstack/react-router'
import { usePolicies, useSites } from '../../api/queries/site-queries.ts'
import { facetValues, useFacets } from '../../api/traffic/analytics-queries.ts'
import { EmptyState, QueryState } from '../../design/feedback/states.tsx'
import { wholeNumber } from '../../design/number.ts'
import { Panel } from '../../design/page/panel.tsx'
import { type Column, Table } from '../../design/table/table.tsx'

const SITE_FIELD = ['site'] as const
const SITES_COUNTED_MAX = 50
/** Windows of policies are short; what was sent in the last minute says how close to the limit somebody is. */
const MINUTE = 'now-1m'

interface Limited {
  readonly site: Site
  readonly policy: RateLimitPolicy
}

/** What limits hold for a researcher, site by site, and how close to them they are. */
export function BudgetPanel({ researcherId }: { readonly researcherId: string }) {
  const sites = useSites()
  const policies = usePolicies()
  const hacker = [researcherId]
  const sent = useFacets({ hacker, gte: MINUTE }, SITE_FIELD, SITES_COUNTED_MAX)
  const refused = useFacets({ hacker, outcome: ['limit'] }, SITE_FIELD, SITES_COUNTED_MAX)
  const rows = (sites.data ?? []).flatMap((site): Limited[] => {
    const policy = policies.data?.items.find((one) => one.name === site.rateLimit)
    return site.isActive && policy ? [{ site, policy }] : []
  })
  return (
    <Panel
      title="Budget"
      description="The limits of the sites that are open now; the gate enforces them."
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
          columns={columnsOf(hacker, counterOf(sent.data), counterOf(refused.data))}
        />
      ) : null}
    </Panel>
  )
}

type CountOf = (site: Site) => string

/** Counts by site, in words; unknown until they are there. */
const counterOf =
  (facets: ReturnType<typeof useFacets>['data']): CountOf =>
  ({ id }) =>
    facets ? wholeNumber(facetValues(facets, 'site').find((one) => one.value === id)?.count ?? 0) : '–'

const columnsOf = (
  hacker: readonly string[],
  sentTo: CountOf,
  refusedBy: CountOf,
): readonly Column<Limited>[] => [
  { head: 'Site', cell: ({ site }) => <SiteLink site={site} /> },
  { head: 'Their share', cell: ({ policy }) => shareWords(policy.perResearcher) },
  { head: 'Whole site', secondary: true, cell: ({ policy }) => limiterWords(policy.site) },
  { head: 'Sent, last minute', align: 'end', cell: ({ site }) => sentTo(site) },
  {
    head: 'Refused by limits, 24 hours',
    align: 'end',
    cell: ({ site }) => (
      <Link to="/traffic" search={{ hacker, site: [site.id], outcome: ['limit'] }}>
        {refusedBy(site)}
      </Link>
    ),
  },
]

function SiteLink({ site }: { readonly site: Site }) {
  return (
    <Link to="/sites/$siteId/$tab" params={{ siteId: site.id, tab: 'settings' }}>
      {site.gatedName}
    </Link>
  )
}

const shareWords = (share: LimiterSettings | null): string =>
  share ? limiterWords(share) : 'none of their own'
