/** One researcher: what they do, with which tools, where; their keys, links and sessions. */
import { Button } from '@mantine/core'
import { type Hacker, onlyValue } from '@sallyport/contract'
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { useMay } from '../../api/queries/account-queries.ts'
import { useResearcher } from '../../api/queries/researcher-queries.ts'
import { useSites } from '../../api/queries/site-queries.ts'
import { facetValues, useFacets, useTimeline } from '../../api/traffic/analytics-queries.ts'
import { ConfirmDialog } from '../../design/feedback/confirm.tsx'
import { useNotices } from '../../design/feedback/notices.tsx'
import { EmptyState, ErrorState } from '../../design/feedback/states.tsx'
import { wholeNumber } from '../../design/number.ts'
import { AwaitedPage } from '../../design/page/awaited-page.tsx'
import { Columns, Page, Panel } from '../../design/page/panel.tsx'
import { RelativeTime } from '../../design/time/time.tsx'
import { WindowPicker } from '../../design/time/window-picker.tsx'
import { Timeline } from '../../design/timeline/timeline.tsx'
import { TimelineSkeleton } from '../../design/timeline/timeline-skeleton.tsx'
import { attackWords, sentence } from '../../parts/firewall/attack-words.ts'
import { ResearcherState } from '../../parts/researcher/researcher-state.tsx'
import { OutcomeLegend } from '../../parts/traffic/outcome-legend.tsx'
import { outcomeSeries, outcomeTotals } from '../../parts/traffic/outcome-series.ts'
import type { TrafficSearch } from '../../parts/traffic/search.ts'
import { Bars, NoValues } from '../overview/top-lists.tsx'
import { BudgetPanel } from './budget-panel.tsx'
import { useBulkChange } from './bulk-actions.tsx'
import { ResearcherCredentials } from './researcher-credentials.tsx'

const route = getRouteApi('/researchers/$researcherId')
const FIELDS = ['tool', 'site', 'firewallClass', 'reason'] as const

export function ResearcherPage() {
  const { researcherId } = route.useParams()
  const researcher = useResearcher(researcherId)
  const may = useMay('researchers:write')
  if (researcher.isPending || researcher.error) return <AwaitedPage title="Researcher" query={researcher} />
  const one = researcher.data
  return (
    <Page
      title={one.name || one.email}
      lead={
        <>
          {one.email} · <ResearcherState researcher={one} /> ·{' '}
          {one.expires ? (
            <>
              until <RelativeTime instant={one.expires} />
            </>
          ) : (
            'open-ended'
          )}
        </>
      }
      actions={may ? <PauseAndRemove researcher={one} /> : null}
    >
      <Activity researcherId={one.id} />
      <BudgetPanel researcherId={one.id} />
      {may ? <ResearcherCredentials researcher={one} /> : null}
    </Page>
  )
}

function PauseAndRemove({ researcher }: { readonly researcher: Hacker }) {
  const notices = useNotices()
  const navigate = useNavigate()
  const bulk = useBulkChange()
  const [removing, setRemoving] = useState(false)
  const ids = [researcher.id]
  const toggle = () => {
    const action = researcher.paused ? 'resume' : 'pause'
    const back = researcher.paused ? 'pause' : 'resume'
    notices.whenDone(
      bulk.mutateAsync({ action, ids }),
      researcher.paused ? 'Resumed.' : 'Paused; refused at the gate within a second.',
      () => bulk.mutateAsync({ action: back, ids }),
    )
  }
  const remove = async () => {
    await bulk.mutateAsync({ action: 'remove', ids })
    notices.done(`${researcher.email} is removed.`)
    await navigate({ to: '/researchers' })
  }
  return (
    <>
      <Button variant="default" loading={bulk.isPending} onClick={toggle}>
        {researcher.paused ? 'Resume' : 'Pause'}
      </Button>
      <Button variant="outline" className="danger" onClick={() => setRemoving(true)}>
        Remove
      </Button>
      <ConfirmDialog
        opened={removing}
        title="Remove this researcher?"
        action="Remove researcher"
        danger
        onConfirm={remove}
        onClose={() => setRemoving(false)}
      >
        Keys, sessions and places on lists of {researcher.email} end at once and cannot be brought back.
        Recorded traffic stays.
      </ConfirmDialog>
    </>
  )
}

function Activity({ researcherId }: { readonly researcherId: string }) {
  const navigate = useNavigate()
  const [window, setWindow] = useState<{
    readonly gte?: string | undefined
    readonly lte?: string | undefined
  }>({
    gte: 'now-7d',
  })
  const search: TrafficSearch = { ...window, hacker: [researcherId] }
  const timeline = useTimeline(search)
  const facets = useFacets(search, FIELDS, 6)
  const sites = useSites()
  const siteName = (id: string) => sites.data?.find((site) => site.id === id)?.gatedName ?? id
  const buckets = timeline.data?.buckets ?? []
  const total = buckets.reduce((sum, one) => sum + one.total, 0)
  const lists = [
    { field: 'tool', title: 'Tools', words: (value: string) => value || 'Browser or unknown' },
    { field: 'site', title: 'Sites', words: siteName },
    {
      field: 'firewallClass',
      title: 'What the firewall saw',
      words: attackWords,
    },
    { field: 'reason', title: 'Why refused', words: (value: string) => sentence(value.replaceAll('_', ' ')) },
  ] as const
  return (
    <>
      <Panel
        title="Activity"
        actions={
          <>
            <Link to="/traffic" search={search}>
              {timeline.data ? wholeNumber(total) : 'All'} requests
            </Link>
            <WindowPicker value={window} onChange={setWindow} />
          </>
        }
      >
        {timeline.isPending ? <TimelineSkeleton height={160} /> : null}
        {timeline.error ? (
          <ErrorState error={timeline.error} onRetry={() => void timeline.refetch()} />
        ) : null}
        {timeline.data && total === 0 ? (
          <EmptyState icon="traffic" title="No request in this window" />
        ) : null}
        {total > 0 ? (
          <>
            <Timeline
              times={buckets.map((bucket) => bucket.time)}
              series={outcomeSeries(buckets)}
              label={`Requests of this researcher: ${wholeNumber(total)} in all.`}
              height={160}
              onWindow={(gte, lte) => void navigate({ to: '/traffic', search: { ...search, gte, lte } })}
            />
            <OutcomeLegend totals={outcomeTotals(buckets)} window={search} />
          </>
        ) : null}
      </Panel>
      <Columns fit="four">
        {lists.map((list) => {
          const values = facetValues(facets.data, list.field).filter(
            (one) => one.value !== '' || list.field === 'tool',
          )
          return (
            <Panel key={list.field} title={list.title}>
              {values.length === 0 ? (
                <NoValues facets={facets} icon="traffic" title="Nothing in this window" />
              ) : (
                <Bars
                  values={values}
                  row={(one, className) => (
                    <Link
                      to="/traffic"
                      search={{ ...search, [list.field]: [onlyValue(one.value)] }}
                      className={className}
                    >
                      {list.words(one.value)}
                    </Link>
                  )}
                />
              )}
            </Panel>
          )
        })}
      </Columns>
    </>
  )
}
