import { Link } from '@tanstack/react-router'
import { type FacetValue, facetValues, type useFacets } from '../../api/traffic/analytics-queries.ts'
import { EmptyState, QueryState } from '../../design/feedback/states.tsx'
import type { IconName } from '../../design/icon.tsx'
import { Panel } from '../../design/page/panel.tsx'
import { BarList } from '../../design/table/bar-list.tsx'
import { wholeNumber } from '../../language/number.ts'
import { AttackSquare } from '../attack/attack-name.tsx'
import type { TrafficSearch } from './search.ts'
import { texts } from './texts.ts'

/** The most frequent values of a field, each leading to the requests that have it. */
export function FacetPanel(props: {
  readonly title: string
  readonly facets: ReturnType<typeof useFacets>
  readonly field: Parameters<typeof facetValues>[1]
  /** Which values are shown, where it is not all of them. */
  readonly keep?: (value: FacetValue, index: number) => boolean
  readonly search: (value: string) => TrafficSearch
  /** All values, counted. */
  readonly whole: TrafficSearch
  readonly words?: (value: string) => string
  readonly icon: IconName
  /** The title of the panel's content while there is no value. */
  readonly none: string
}) {
  const { facets, search, words } = props
  const all = facetValues(facets.data, props.field)
  const values = props.keep ? all.filter(props.keep) : all
  const top = Math.max(...values.map((one) => one.count), 1)
  return (
    <Panel
      title={props.title}
      actions={
        values.length > 0 ? (
          <Link to="/traffic" search={props.whole}>
            {texts.viewAll}
          </Link>
        ) : null
      }
    >
      {values.length > 0 ? (
        <BarList
          items={values}
          itemKey={({ value }) => value}
          share={({ count }) => count / top}
          name={({ value }, className) => (
            <Link to="/traffic" search={search(value)} className={className}>
              {props.field === 'firewallClass' ? (
                <>
                  <AttackSquare attackClass={value} />{' '}
                </>
              ) : null}
              {words ? words(value) : value}
            </Link>
          )}
          value={({ count }) => <span className="tabular">{wholeNumber(count)}</span>}
        />
      ) : facets.isSuccess ? (
        <EmptyState icon={props.icon} title={props.none} />
      ) : (
        <QueryState query={facets} />
      )}
    </Panel>
  )
}
