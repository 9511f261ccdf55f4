/** What the firewall sees: rules over time, by class, researcher and route; the newest hits; exclusions by site. */
import { NativeSelect } from '@mantine/core'
import { type Facet, onlyValue, SEVERITIES } from '@sallyport/contract'
import { getRouteApi, Link } from '@tanstack/react-router'
import { useState } from 'react'
import { useSiteFirewall } from '../../api/queries/firewall-queries.ts'
import { useSites } from '../../api/queries/site-queries.ts'
import { facetValues, useFacets, useRulesTimeline } from '../../api/traffic/analytics-queries.ts'
import { EmptyState, ErrorState, LoadingState } from '../../design/feedback/states.tsx'
import { wholeNumber } from '../../design/number.ts'
import { Columns, Page, Panel } from '../../design/page/panel.tsx'
import { Tag } from '../../design/table/status.tsx'
import { Table } from '../../design/table/table.tsx'
import { WindowPicker } from '../../design/time/window-picker.tsx'
import { Timeline } from '../../design/timeline/timeline.tsx'
import { TimelineSkeleton } from '../../design/timeline/timeline-skeleton.tsx'
import { attackWords } from '../../parts/firewall/attack-words.ts'
import { ExclusionList } from '../../parts/firewall/exclusion-list.tsx'
import { useValueWords } from '../../parts/traffic/field-words.ts'
import { changed } from '../../parts/traffic/filters.ts'
import type { TrafficSearch } from '../../parts/traffic/search.ts'
import { Bars, NoValues } from '../overview/top-lists.tsx'
import classes from './firewall.module.css'
import { ruleColour, ruleSeries } from './rule-series.ts'

const route = getRouteApi('/firewall')
const RULES_LISTED = 8
const LISTS: readonly { readonly field: Facet; readonly title: string }[] = [
  { field: 'firewallClass', title: 'By class of attack' },
  { field: 'hacker', title: 'By researcher' },
  { field: 'route', title: 'By route' },
]
/** Only requests that a rule matched. */
const MATCHED = { severity: [...SEVERITIES] }

export function FirewallPage() {
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const sites = useSites()
  const set = (part: Partial<TrafficSearch>) => void navigate({ search: changed(search, part) })
  const siteId = search.site?.[0] ?? ''
  return (
    <Page
      title="Firewall"
      lead="What requests tried: by rule, by class of attack, by researcher and by route."
      actions={
        <>
          <NativeSelect
            size="xs"
            aria-label="Site"
            value={siteId}
            onChange={(event) =>
              set({ site: event.currentTarget.value ? [event.currentTarget.value] : undefined })
            }
            data={[
              { value: '', label: 'All sites' },
              ...(sites.data ?? []).map((site) => ({ value: site.id, label: site.gatedName })),
            ]}
          />
          <WindowPicker value={search} onChange={set} />
        </>
      }
    >
      <RulesPanel search={search} />
      <FacetPanels search={search} />
      <ExclusionsPanel siteId={siteId || (sites.data?.[0]?.id ?? '')} />
    </Page>
  )
}

function RulesPanel({ search }: { readonly search: TrafficSearch }) {
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
        {timeline.isPending ? <TimelineSkeleton height={400} /> : null}
        {timeline.error ? (
          <ErrorState error={timeline.error} onRetry={() => void timeline.refetch()} />
        ) : null}
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
            height={400}
            onWindow={(gte, lte) =>
              void navigate({ to: '/traffic', search: { site: search.site, ...MATCHED, gte, lte } })
            }
          />
        ) : null}
      </Panel>
      <Panel title="Rules" flush>
        {timeline.isPending ? <LoadingState /> : null}
        {timeline.data && rules.length === 0 ? <EmptyState icon="firewall" title="Nothing yet" /> : null}
        {rules.length === 0 ? null : (
          <Table
            label="Rules that matched"
            rows={rules.slice(0, RULES_LISTED)}
            rowKey={(rule) => rule.rule}
            columns={[
              {
                head: 'Rule',
                cell: (rule) => (
                  <div className={classes.rule}>
                    <span
                      className={classes.key}
                      style={{ background: `var(${ruleColour(rules.indexOf(rule))})` }}
                    />
                    <Link
                      to="/traffic"
                      search={{ ...search, firewallRule: [onlyValue(rule.rule)] }}
                      className="mono"
                    >
                      {rule.rule}
                    </Link>
                    <span />
                    <span className="soft">{attackWords(rule.class)}</span>
                  </div>
                ),
              },
              { head: 'Severity', cell: (rule) => <Tag>{rule.severity}</Tag> },
              { head: 'Hits', align: 'end', cell: (rule) => wholeNumber(rule.total) },
            ]}
          />
        )}
      </Panel>
    </Columns>
  )
}

function FacetPanels({ search }: { readonly search: TrafficSearch }) {
  const filters = { ...search, ...MATCHED }
  const facets = useFacets(
    filters,
    LISTS.map((list) => list.field),
    8,
  )
  const wordsOf = useValueWords()
  return (
    <Columns fit="three">
      {LISTS.map(({ field, title }) => {
        const values = facetValues(facets.data, field)
        return (
          <Panel key={field} title={title}>
            {values.length === 0 ? (
              <NoValues facets={facets} icon="firewall" title="Nothing in this window" />
            ) : null}
            <Bars
              values={values}
              row={(one, className) => (
                <Link
                  to="/traffic"
                  search={{ ...filters, [field]: [onlyValue(one.value)] }}
                  className={className}
                >
                  {wordsOf(field, one.value)}
                </Link>
              )}
            />
          </Panel>
        )
      })}
    </Columns>
  )
}

function ExclusionsPanel({ siteId }: { readonly siteId: string }) {
  const sites = useSites()
  const [chosen, setChosen] = useState('')
  const shown = chosen || siteId
  const firewall = useSiteFirewall(shown)
  if (!shown) return null
  const choice = (
    <NativeSelect
      size="xs"
      aria-label="Exclusions of"
      value={shown}
      onChange={(event) => setChosen(event.currentTarget.value)}
      data={(sites.data ?? []).map((site) => ({ value: site.id, label: site.gatedName }))}
    />
  )
  if (firewall.error) return <ErrorState error={firewall.error} />
  if (!firewall.data) return <LoadingState />
  return <ExclusionList siteId={shown} exclusions={firewall.data.exclusions} choice={choice} />
}
