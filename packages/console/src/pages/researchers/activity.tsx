import { onlyValue } from '@sallyport/contract'
import { attackWords } from '@sallyport/contract/words'
import { Link, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { useSites } from '../../api/queries/site-queries.ts'
import { useFacets, useTimeline } from '../../api/traffic/analytics-queries.ts'
import type { TimeWindow } from '../../api/traffic/request-filters.ts'
import { EmptyState } from '../../design/feedback/states.tsx'
import { wholeNumber } from '../../design/number.ts'
import { Columns, Panel } from '../../design/page/panel.tsx'
import { WindowPicker } from '../../design/time/window-picker.tsx'
import { reasonWords } from '../../parts/traffic/code-words.ts'
import { FacetPanel } from '../../parts/traffic/facet-panel.tsx'
import { requestTotal } from '../../parts/traffic/outcome-series.ts'
import { RequestTimeline } from '../../parts/traffic/request-timeline.tsx'
import type { TrafficSearch } from '../../parts/traffic/search.ts'

const FIELDS = ['tool', 'site', 'firewallClass', 'reason'] as const
const VALUES_SHOWN = 6

/** What a researcher sent over time, with which tools, where, and what became of it. */
export function Activity({ researcherId }: { readonly researcherId: string }) {
  const navigate = useNavigate()
  const [window, setWindow] = useState<TimeWindow>({ gte: 'now-7d' })
  const search: TrafficSearch = { ...window, hacker: [researcherId] }
  const timeline = useTimeline(search)
  return (
    <>
      <Panel
        title="Activity"
        actions={
          <>
            <Link to="/traffic" search={search}>
              {timeline.data ? wholeNumber(requestTotal(timeline.data.buckets)) : 'All'} requests
            </Link>
            <WindowPicker value={window} onChange={setWindow} />
          </>
        }
      >
        <RequestTimeline
          timeline={timeline}
          label="Requests of this researcher"
          height={160}
          empty={<EmptyState icon="traffic" title="No request in this window" />}
          legend={search}
          onWindow={(gte, lte) => void navigate({ to: '/traffic', search: { ...search, gte, lte } })}
        />
      </Panel>
      <ActivityFacets search={search} />
    </>
  )
}

function ActivityFacets({ search }: { readonly search: TrafficSearch }) {
  const facets = useFacets(search, FIELDS, VALUES_SHOWN)
  const sites = useSites()
  const lists = [
    { field: 'tool', title: 'Tools', words: (value: string) => value || 'Browser or unknown' },
    {
      field: 'site',
      title: 'Sites',
      words: (id: string) => sites.data?.find((site) => site.id === id)?.gatedName ?? id,
    },
    { field: 'firewallClass', title: 'What the firewall saw', words: attackWords },
    { field: 'reason', title: 'Why refused', words: reasonWords },
  ] as const
  return (
    <Columns fit="four">
      {lists.map(({ field, title, words }) => (
        <FacetPanel
          key={field}
          title={title}
          facets={facets}
          field={field}
          keep={({ value }) => value !== '' || field === 'tool'}
          search={(value) => ({ ...search, [field]: [onlyValue(value)] })}
          words={words}
          icon="traffic"
          none="Nothing in this window"
        />
      ))}
    </Columns>
  )
}
