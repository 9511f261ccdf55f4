import { onlyValue } from '@sallyport/contract'
import { attackWords } from '@sallyport/contract/words'
import { getRouteApi, Link } from '@tanstack/react-router'
import { useState } from 'react'
import type { Output } from '../../api/api.tsx'
import { useRulesTimeline } from '../../api/traffic/analytics-queries.ts'
import { EmptyState, LoadingState, QueryState } from '../../design/feedback/states.tsx'
import { Columns, Panel } from '../../design/page/panel.tsx'
import { useFold } from '../../design/table/fold.tsx'
import { Tag } from '../../design/table/status.tsx'
import { type Column, Table } from '../../design/table/table.tsx'
import { Timeline, TimelineSkeleton } from '../../design/timeline/timeline.tsx'
import { wholeNumber } from '../../language/number.ts'
import { AttackSquare } from '../../parts/attack/attack-name.tsx'
import type { TrafficSearch } from '../../parts/traffic/search.ts'
import classes from './firewall.module.css'
import { MATCHED, ruleColours, ruleSeries } from './rule-series.ts'
import { texts } from './texts.ts'

const route = getRouteApi('/firewall')
const RULES_LISTED = 8
const TIMELINE_HEIGHT = 440

type RuleCounts = Output<'analyticsGetWafSummaryRulesTimeline'>['rules'][number]

/** Matches over time by rule, and the rules that matched most. */
export function RulesPanel({ search }: { readonly search: TrafficSearch }) {
  const navigate = route.useNavigate()
  const timeline = useRulesTimeline(search)
  const [only, setOnly] = useState<string | null>(null)
  const rules = [...(timeline.data?.rules ?? [])].sort((a, b) => b.total - a.total)
  const total = rules.reduce((sum, rule) => sum + rule.total, 0)
  // What is shown alone may be gone from the window.
  const shown = rules.some(({ rule }) => rule === only) ? only : null
  return (
    <Columns fit="wide">
      <Panel
        title={timeline.data ? texts.totalHitsOverTime(total) : texts.hitsOverTime}
        description={rules.length > RULES_LISTED ? texts.theEightRules : texts.eachRule}
      >
        <QueryState query={timeline} loading={<TimelineSkeleton height={TIMELINE_HEIGHT} />} />
        {timeline.data && total === 0 ? (
          <EmptyState icon="firewall" title={texts.noRulesMatched}>
            {texts.noRulesMatchedBody}
          </EmptyState>
        ) : null}
        {timeline.data && total > 0 ? (
          <Timeline
            times={timeline.data.times}
            series={ruleSeries(rules, shown)}
            label={texts.firewallHitsOverTime(total, rules.length)}
            height={TIMELINE_HEIGHT}
            onWindow={(gte, lte) =>
              void navigate({ to: '/traffic', search: { site: search.site, ...MATCHED, gte, lte } })
            }
          />
        ) : null}
      </Panel>
      <Panel title={texts.rules} flush>
        {timeline.isPending ? <LoadingState /> : null}
        {timeline.data && rules.length === 0 ? <EmptyState icon="firewall" title={texts.noRulesYet} /> : null}
        {rules.length > 0 ? <RuleTable {...{ rules, search, only: shown, onOnly: setOnly }} /> : null}
      </Panel>
    </Columns>
  )
}

/** `rules` begins with the one that matched most. */
function RuleTable(props: {
  readonly rules: readonly RuleCounts[]
  readonly search: TrafficSearch
  /** The rule that the chart shows alone. */
  readonly only: string | null
  readonly onOnly: (rule: string | null) => void
}) {
  const { rules, search, only, onOnly } = props
  const { shown, button } = useFold(rules, RULES_LISTED)
  const colours = ruleColours(rules)
  const columns: readonly Column<RuleCounts>[] = [
    {
      head: texts.rule,
      cell: (rule) => (
        <div className={classes.rule}>
          <button
            type="button"
            className={classes.ruleMark}
            aria-pressed={only === rule.rule}
            aria-label={texts.showOnly(rule.rule)}
            title={only === rule.rule ? texts.showAllRules : texts.showOnlyThisRule}
            onClick={() => onOnly(only === rule.rule ? null : rule.rule)}
          >
            <AttackSquare attackClass={rule.class} colour={colours.get(rule.rule)} />
          </button>
          <Link to="/traffic" search={{ ...search, firewallRule: [onlyValue(rule.rule)] }} className="mono">
            {rule.rule}
          </Link>
          <span />
          <span className="soft">{attackWords(rule.class)}</span>
        </div>
      ),
    },
    { head: texts.severity, cell: (rule) => <Tag>{rule.severity}</Tag> },
    { head: texts.hits, align: 'end', cell: (rule) => wholeNumber(rule.total) },
  ]
  return (
    <>
      <Table label={texts.rulesThatMatched} rows={shown} rowKey={(rule) => rule.rule} columns={columns} />
      {button ? (
        <div className={classes.more}>
          <AttackSquare attackClass="" /> {button}
        </div>
      ) : null}
    </>
  )
}
