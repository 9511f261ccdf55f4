import { onlyValue } from '@sallyport/contract'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useResearcherNames } from '../../api/queries/researcher-queries.ts'
import { type FacetValue, facetValues, type useFacets } from '../../api/traffic/analytics-queries.ts'
import { EmptyState, ErrorState, LoadingState } from '../../design/feedback/states.tsx'
import type { IconName } from '../../design/icon.tsx'
import { wholeNumber } from '../../design/number.ts'
import { Panel } from '../../design/page/panel.tsx'
import type { WindowSearch } from '../../parts/traffic/search.ts'
import classes from './overview.module.css'

const RULES_SHOWN = 8

interface TopListProps {
  readonly window: WindowSearch
  readonly facets: ReturnType<typeof useFacets>
}

export function TopResearchers({ window, facets }: TopListProps) {
  const values = facetValues(facets.data, 'hacker')
  const nameOf = useResearcherNames()
  return (
    <Panel title="Most active researchers">
      {values.length === 0 ? (
        <NoValues facets={facets} icon="researchers" title="Nobody in this window" />
      ) : (
        <Bars
          values={values}
          row={(one, className) => (
            <Link to="/traffic" search={{ ...window, hacker: [one.value] }} className={className}>
              {nameOf(one.value)}
            </Link>
          )}
        />
      )}
    </Panel>
  )
}

export function TopRules({ window, facets }: TopListProps) {
  const values = facetValues(facets.data, 'firewallRule').slice(0, RULES_SHOWN)
  return (
    <Panel title="Firewall rules that matched most">
      {values.length === 0 ? (
        <NoValues facets={facets} icon="firewall" title="No rule matched in this window" />
      ) : (
        <Bars
          values={values}
          row={(one, className) => (
            <Link
              to="/traffic"
              search={{ ...window, firewallRule: [onlyValue(one.value)] }}
              className={className}
            >
              {one.value}
            </Link>
          )}
        />
      )}
    </Panel>
  )
}

/** What stands in place of values: that they are on their way, why they are not, or that there are none. */
export function NoValues(props: {
  readonly facets: ReturnType<typeof useFacets>
  readonly icon: IconName
  readonly title: string
}) {
  const { facets } = props
  if (facets.error) return <ErrorState error={facets.error} onRetry={() => void facets.refetch()} />
  return facets.isPending ? <LoadingState /> : <EmptyState icon={props.icon} title={props.title} />
}

/** Values with their counts, and a bar for the eye. */
export function Bars(props: {
  readonly values: readonly FacetValue[]
  readonly row: (value: FacetValue, className: string) => ReactNode
}) {
  const top = Math.max(...props.values.map((one) => one.count), 1)
  return (
    <ol className={classes.bars}>
      {props.values.map((one) => (
        <li key={one.value} className={classes.bar}>
          <span className={classes.fill} style={{ width: `${(100 * one.count) / top}%` }} />
          {props.row(one, classes.barName ?? '')}
          <span className="tabular">{wholeNumber(one.count)}</span>
        </li>
      ))}
    </ol>
  )
}
