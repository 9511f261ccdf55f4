/** Every site behind the gate, with its state, limits, health and traffic. */
import { Button } from '@mantine/core'
import type { Site } from '@sallyport/contract'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { usePermission } from '../../api/queries/account-queries.ts'
import { useSiteFirewall } from '../../api/queries/firewall-queries.ts'
import { useSites } from '../../api/queries/site-queries.ts'
import { useDayCounts, useTimeline } from '../../api/traffic/analytics-queries.ts'
import { EmptyState } from '../../design/feedback/states.tsx'
import { Icon } from '../../design/icon.tsx'
import { wholeNumber } from '../../design/number.ts'
import { ListPage } from '../../design/page/list-page.tsx'
import { Panel } from '../../design/page/panel.tsx'
import { type Column, MoreButton, QueryTable } from '../../design/table/table.tsx'
import { RelativeTime } from '../../design/time/time.tsx'
import { Sparkline } from '../../design/timeline/sparkline.tsx'
import { MODE_WORDS } from '../../parts/firewall/mode-words.ts'
import { isOpenEnded, SiteState } from '../../parts/site/site-state.tsx'
import { SiteHealth } from './site-health.tsx'
import { SiteSwitch } from './site-switch.tsx'

/** How many rows are added at once: each queries its health, mode and trend. */
const ROWS_SHOWN = 50

export function SitesPage() {
  const sites = useSites()
  const may = usePermission('sites:write')
  const [search, setSearch] = useState('')
  const [rows, setRows] = useState(ROWS_SHOWN)
  const countOf = useDayCounts('site')
  const shown = (sites.data ?? []).filter((site) =>
    `${site.gatedName} ${site.originName}`.toLowerCase().includes(search.toLowerCase()),
  )
  return (
    <ListPage
      title="Sites"
      lead="What is behind the gate, and whether researchers may enter."
      search={search}
      onSearch={setSearch}
      add={
        <>
          <Button variant="default" renderRoot={(props) => <Link to="/groups" {...props} />}>
            Groups
          </Button>
          {may ? (
            <Button
              leftSection={<Icon name="plus" size={14} />}
              renderRoot={(props) => <Link to="/setup" {...props} />}
            >
              Add a site
            </Button>
          ) : null}
        </>
      }
    >
      <Panel flush>
        <QueryTable
          query={sites}
          rows={shown.slice(0, rows)}
          empty={
            <EmptyState icon="sites" title={search ? 'No site matches' : 'No site yet'}>
              A site is a name and where its requests go. Researchers reach it under a gated name.
            </EmptyState>
          }
          label="Sites"
          rowKey={(site) => site.id}
          columns={columnsOf(countOf, may)}
        />
        <MoreButton
          list={{
            hasNextPage: shown.length > rows,
            isFetchingNextPage: false,
            fetchNextPage: async () => setRows(rows + ROWS_SHOWN),
          }}
        />
      </Panel>
    </ListPage>
  )
}

function columnsOf(countOf: (siteId: string) => number, may: boolean): readonly Column<Site>[] {
  const columns: readonly Column<Site>[] = [
    { head: 'Site', cell: (site) => <SiteName site={site} /> },
    { head: 'State', cell: (site) => <State site={site} /> },
    { head: 'Who', secondary: true, cell: (site) => (site.hasCustomList ? 'Its list' : 'Everyone') },
    {
      head: 'Limit',
      secondary: true,
      cell: (site) => site.rateLimit || <span className="soft">none</span>,
    },
    { head: 'Firewall', secondary: true, cell: (site) => <SiteFirewallMode siteId={site.id} /> },
    { head: 'Origin', secondary: true, cell: (site) => <SiteHealth siteId={site.id} /> },
    { head: 'Last 24 hours', secondary: true, cell: (site) => <SiteSparkline siteId={site.id} /> },
    {
      head: 'Requests',
      align: 'end',
      cell: (site) => (
        <Link to="/traffic" search={{ site: [site.id] }}>
          {wholeNumber(countOf(site.id))}
        </Link>
      ),
    },
  ]
  return may
    ? [...columns, { head: 'Open', align: 'end', cell: (site) => <SiteSwitch site={site} /> }]
    : columns
}

function SiteName({ site }: { readonly site: Site }) {
  return (
    <div>
      <Link to="/sites/$siteId/$tab" params={{ siteId: site.id, tab: 'settings' }}>
        <strong className="nowrap">{site.gatedName}</strong>
      </Link>
      <div className="soft clip">{site.originName}</div>
    </div>
  )
}

function State({ site }: { readonly site: Site }) {
  return (
    <div>
      <SiteState site={site} />
      {site.isActive && !isOpenEnded(site) ? (
        <div className="soft nowrap">
          closes <RelativeTime instant={site.stopDate} />
        </div>
      ) : null}
    </div>
  )
}

/** Requests of a site over the last 24 hours. */
function SiteSparkline({ siteId }: { readonly siteId: string }) {
  const timeline = useTimeline({ site: [siteId] }, false)
  if (!timeline.data) return null
  return <Sparkline values={timeline.data.buckets.map((bucket) => bucket.total)} />
}

function SiteFirewallMode({ siteId }: { readonly siteId: string }) {
  const firewall = useSiteFirewall(siteId)
  return firewall.data ? MODE_WORDS[firewall.data.mode].label : <span className="soft">–</span>
}
