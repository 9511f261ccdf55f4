import { onlyValue } from '@sallyport/contract'
import { Link } from '@tanstack/react-router'
import type { TimeWindow } from '../../api/traffic/request-filters.ts'
import type { useSituation } from '../../api/traffic/situation-queries.ts'
import { EmptyState, QueryState } from '../../design/feedback/states.tsx'
import type { IconName } from '../../design/icon.tsx'
import { isolated } from '../../design/isolated.ts'
import { Panel } from '../../design/page/panel.tsx'
import { BarList } from '../../design/table/bar-list.tsx'
import { wholeNumber } from '../../language/number.ts'
import { AttackSquare } from '../../parts/attack/attack-name.tsx'
import type { TrafficSearch } from '../../parts/traffic/search.ts'
import { texts } from './texts.ts'

interface TopListProps {
  readonly window: TimeWindow
  readonly situation: ReturnType<typeof useSituation>
}

interface Counted {
  readonly key: string
  readonly name: string
  readonly count: number
  readonly search: TrafficSearch
  /** Whose colour it has. */
  readonly attackClass?: string
}

export const TopResearchers = ({ window, situation }: TopListProps) => (
  <TopList
    title={texts.mostActiveResearchers}
    situation={situation}
    items={situation.data?.senders.map(({ id, name, requests }) => ({
      key: id,
      name: id === '' ? texts.strangers : name,
      count: requests,
      search: { ...window, hacker: [id] },
    }))}
    whole={{ ...window, group: 'hacker' }}
    icon="researchers"
    none={texts.noRequestsInThisWindow}
  />
)

export const TopRules = ({ window, situation }: TopListProps) => (
  <TopList
    title={texts.firewallRulesThatMatchedMost}
    situation={situation}
    items={situation.data?.rules.map(({ rule, hits, class: attackClass }) => ({
      key: rule,
      name: rule,
      count: hits,
      search: { ...window, firewallRule: [onlyValue(rule)] },
      attackClass,
    }))}
    whole={{ ...window, group: 'firewallRule' }}
    icon="firewall"
    none={texts.noRulesMatched}
  />
)

function TopList(props: {
  readonly title: string
  readonly situation: TopListProps['situation']
  readonly items: readonly Counted[] | undefined
  /** All of them, counted. */
  readonly whole: TrafficSearch
  readonly icon: IconName
  readonly none: string
}) {
  const { items } = props
  const top = Math.max(...(items ?? []).map(({ count }) => count), 1)
  return (
    <Panel
      title={props.title}
      busy={props.situation.isPlaceholderData}
      actions={
        <Link to="/traffic" search={props.whole}>
          {texts.viewAll}
        </Link>
      }
    >
      <QueryState query={props.situation} />
      {items?.length === 0 ? <EmptyState icon={props.icon} title={props.none} /> : null}
      <BarList
        items={items ?? []}
        itemKey={({ key }) => key}
        share={({ count }) => count / top}
        name={({ name, search, attackClass }, className) => (
          <Link to="/traffic" search={search} className={className}>
            {attackClass === undefined ? null : (
              <>
                <AttackSquare attackClass={attackClass} />{' '}
              </>
            )}
            {isolated(name)}
          </Link>
        )}
        value={({ count }) => <span className="tabular">{wholeNumber(count)}</span>}
      />
    </Panel>
  )
}
