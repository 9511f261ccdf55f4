import type { Outcome, Site } from '@sallyport/contract'
import { Link } from '@tanstack/react-router'
import { useIsStopped } from '../../api/queries/organization-queries.ts'
import { FACET_VALUES, facetValues, type useFacets } from '../../api/traffic/analytics-queries.ts'
import type { TimeWindow } from '../../api/traffic/request-filters.ts'
import { percent, shortNumber } from '../../design/number.ts'
import { Stat, Stats } from '../../design/table/stat.tsx'
import { outcomeTotals } from '../../parts/traffic/outcome-series.ts'

/** Shown instead of a number until it is known. */
const UNKNOWN = '–'
const REFUSED = ['block', 'limit', 'gate', 'firewall'] as const

/** The numbers on top, each a link to what it counts. */
export function OverviewStats(props: {
  readonly window: TimeWindow
  readonly buckets: Parameters<typeof outcomeTotals>[0] | undefined
  readonly facets: ReturnType<typeof useFacets>['data']
  readonly sites: readonly Site[] | undefined
}) {
  const { window, buckets, sites } = props
  const isStopped = useIsStopped()
  const totals = outcomeTotals(buckets ?? [])
  const all = sum(Object.values(totals))
  const active = facetValues(props.facets, 'hacker').filter((one) => one.value !== '').length
  const requests = (label: string, outcomes?: readonly Outcome[]) => {
    const count = outcomes ? sum(outcomes.map((outcome) => totals[outcome])) : all
    return (
      <Stat
        label={label}
        value={buckets ? shortNumber(count) : UNKNOWN}
        note={buckets && outcomes ? percent(count, all) : undefined}
        link={<Link to="/traffic" search={{ ...window, ...(outcomes && { outcome: outcomes }) }} />}
      />
    )
  }
  return (
    <Stats>
      {requests('Requests')}
      {requests('Passed', ['origin'])}
      {requests('Refused', REFUSED)}
      {requests('By the firewall', ['firewall'])}
      <Stat
        label="Researchers active"
        value={props.facets ? (active === FACET_VALUES ? `${FACET_VALUES} or more` : active) : UNKNOWN}
        link={<Link to="/researchers" />}
      />
      <Stat
        label="Sites open"
        value={sites ? (isStopped ? 0 : sites.filter((site) => site.isActive).length) : UNKNOWN}
        note={sites ? `of ${sites.length}` : undefined}
        link={<Link to="/sites" />}
      />
    </Stats>
  )
}

const sum = (counts: readonly number[]): number => counts.reduce((total, count) => total + count, 0)
