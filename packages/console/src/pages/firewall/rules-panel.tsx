import { onlyValue } from '@sallyport/contract'
import { attackWords } from '@sallyport/contract/words'
import { getRouteApi, Link } from '@tanstack/react-router'
import type { Output } from '../../api/api.tsx'
import { useRulesTimeline } from '../../api/traffic/analytics-queries.ts'
import { EmptyState, LoadingState, QueryState } from '../../design/feedback/states.tsx'
import { wholeNumber } from '../../design/number.ts'
import { Columns, Panel } from '../../design/page/panel.tsx'
import { Tag } from '../../design/table/status.tsx'
import { type Column, Table } from '../../design/table/table.tsx'
import { Timeline, TimelineSkeleton } from '../../design/timeline/timeline.tsx'
import { AttackSquare } from '../../parts/attack/attack-name.tsx'
import type { TrafficSearch } from '../../parts/traffic/search.ts'
import classes from './firewall.module.css'
import { MATCHED, ruleColours, ruleSeries } from './rule-series.ts'

const route = getRouteApi('/firewall')
const RULES_LISTED = 8
const TIMELINE_HEIGHT = 400

type RuleCounts = Output<'analyticsGetWafSummaryRulesTimeline'>['rules'][number]

/** Matches over time by rule, and the rules that matched most. */
export function RulesPanel({ search }: { readonly search: TrafficSearch }) {
  const navigate = route.useNavigate()
  const timeline = useRulesTimeline(search)
  const rules = [...(timeline.data?.rules ?? [])].sort((a, b) => b.total - a.total)
  const total = rules.reduce((sum, rule) => sum + rule.total, 0)
  return (
    <Columns fit="wide">
      <Panel
        title={timeline.data ? `${wholeNumber(total)} hits over time` : 'Hits over time'}
        description="The eight rules that matched most; drag to see the requests."
      >
        <QueryState query={timeline} loading={<TimelineSkeleton height={TIMELINE_HEIGHT} />} />
        {timeline.data && total === 0 ? (
          <EmptyState icon="firewall" title="No rule matched in this window">
            Matches show here within two seconds. A site whose firewall is off records none.
          </EmptyState>
        ) : null}
        {timeline.data && total > 0 ? (
          <Timeline
            times={timeline.data.times}
            series={ruleSeries(rules)}
            label={`Firewall hits over time: ${wholeNumber(total)} in all, by ${rules.length} rules.`}
            height={TIMELINE_HEIGHT}
            onWindow={(gte, lte) =>
              void navigate({ to: '/traffic', search: { site: search.site, ...MATCHED, gte, lte } })
            }
          />
        ) : null}
      </Panel>
      <Panel title="Rules" flush>
        {timeline.isPending ? <LoadingState /> : null}
        {timeline.data && rules.length === 0 ? <EmptyState icon="firewall" title="Nothing yet" /> : null}
        {rules.length > 0 ? <RuleTable rules={rules.slice(0, RULES_LISTED)} search={search} /> : null}
      </Panel>
    </Columns>
  )
}

/** `rules` begins with the one that matched most. */
function RuleTable({ rules, search }: { readonly rules: RuleCounts[]; readonly search: TrafficSearch }) {
  const colours = ruleColours(rules)
  const columns: readonly Column<RuleCounts>[] = [
    {
      head: 'Rule',
      cell: (rule) => (
        <div className={classes.rule}>
          <AttackSquare attackClass={rule.class} colour={colours.get(rule.rule)} />
          <Link to="/traffic" search={{ ...search, firewallRule: [onlyValue(rule.rule)] }} className="mono">
            {rule.rule}
          </Link>
          <span />
          <span className="soft">{attackWords(rule.class)}</span>
        </div>
      ),
    },
    { head: 'Severity', cell: (rule) => <Tag>{rule.severity}</Tag> },
    { head: 'Hits', align: 'end', cell: (rule) => wholeNumber(rule.total) },
  ]
  return <Table label="Rules that matched" rows={rules} rowKey={(rule) => rule.rule} columns={columns} />
}
