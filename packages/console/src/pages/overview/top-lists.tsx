import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { FacetValue } from '../../api/analytics-queries.ts'
import { useResearcherNames } from '../../api/researcher-queries.ts'
import type { WindowSearch } from '../../app/search.ts'
import { wholeNumber } from '../../design/number.ts'
import { Panel } from '../../design/panel.tsx'
import { EmptyState } from '../../design/states.tsx'
import classes from './overview.module.css'

interface TopListProps {
  readonly window: WindowSearch
  readonly values: readonly FacetValue[]
}

export function TopResearchers({ window, values }: TopListProps) {
  const nameOf = useResearcherNames()
  return (
    <Panel title="Most active researchers">
      {values.length === 0 ? (
        <EmptyState icon="researchers" title="Nobody in this window" />
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

export function TopRules({ window, values }: TopListProps) {
  return (
    <Panel title="Firewall rules that matched most">
      {values.length === 0 ? (
        <EmptyState icon="firewall" title="No rule matched in this window" />
      ) : (
        <Bars
          values={values}
          row={(one, className) => (
            <Link to="/traffic" search={{ ...window, firewallRule: [one.value] }} className={className}>
              {one.value}
            </Link>
          )}
        />
      )}
    </Panel>
  )
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
