/** Every site behind the gate, with its state, limits, health and traffic. */
import { Button } from '@mantine/core'
import type { Site, SiteStatus } from '@sallyport/contract'
import { Link } from '@tanstack/react-router'
import { useMemo, useState } from 'react'
import { usePermission } from '../../api/queries/account-queries.ts'
import { useSiteStatuses, useSites } from '../../api/queries/site-queries.ts'
import { type SitesActivity, useSitesActivity } from '../../api/traffic/analytics-queries.ts'
import { EmptyState } from '../../design/feedback/states.tsx'
import { Icon } from '../../design/icon.tsx'
import { ListPage } from '../../design/page/list-page.tsx'
import { Panel } from '../../design/page/panel.tsx'
import { type Column, QueryTable } from '../../design/table/table.tsx'
import { RelativeTime } from '../../design/time/time.tsx'
import { Sparkline } from '../../design/timeline/sparkline.tsx'
import { wholeNumber } from '../../language/number.ts'
import { MODE_WORDS } from '../../parts/firewall/mode-words.ts'
import { isOpenEnded, SiteState } from '../../parts/site/site-state.tsx'
import { HealthState } from './site-health.tsx'
import { SiteSwitch } from './site-switch.tsx'
import classes from './sites.module.css'
import { texts } from './texts.ts'

const UNKNOWN = <span className="soft">–</span>

export function SitesPage() {
  const sites = useSites()
  const may = usePermission('sites:write')
  const [search, setSearch] = useState('')
  const statuses = useSiteStatuses()
  const activity = useSitesActivity()
  const columns = useMemo(() => columnsOf(statuses, activity, may), [statuses, activity, may])
  const shown = useMemo(
    () =>
      (sites.data ?? []).filter((site) =>
        `${site.gatedName} ${site.originName}`.toLowerCase().includes(search.toLowerCase()),
      ),
    [sites.data, search],
  )
  return (
    <ListPage
      title={texts.sites}
      lead={texts.sitesLead}
      search={search}
      onSearch={setSearch}
      add={
        <>
          <Button variant="default" renderRoot={(props) => <Link to="/groups" {...props} />}>
            {texts.groups}
          </Button>
          {may ? (
            <Button
              leftSection={<Icon name="plus" size={14} />}
              renderRoot={(props) => <Link to="/setup" {...props} />}
            >
              {texts.addASite}
            </Button>
          ) : null}
        </>
      }
    >
      <Panel flush>
        <QueryTable
          query={sites}
          rows={shown}
          empty={
            <EmptyState icon="sites" title={search ? texts.noSitesMatch : texts.noSitesYet}>
              {texts.aSiteIs}
            </EmptyState>
          }
          label={texts.sites}
          rowKey={(site) => site.id}
          columns={columns}
          content={`${statuses.size > 0} ${activity !== undefined}`}
        />
      </Panel>
    </ListPage>
  )
}

function columnsOf(
  statuses: ReadonlyMap<string, SiteStatus>,
  activity: SitesActivity | undefined,
  may: boolean,
): readonly Column<Site>[] {
  const columns: readonly Column<Site>[] = [
    { head: texts.site, cell: (site) => <SiteName site={site} /> },
    { head: texts.state, cell: (site) => <State site={site} /> },
    {
      head: texts.access,
      secondary: 'least',
      cell: (site) => (site.hasCustomList ? texts.listOnly : texts.everyone),
    },
    {
      head: texts.limit,
      secondary: true,
      cell: (site) => site.rateLimit || <span className="soft">{texts.none}</span>,
    },
    {
      head: texts.firewall,
      secondary: true,
      cell: (site) => {
        const status = statuses.get(site.id)
        return status ? MODE_WORDS[status.firewall].label : UNKNOWN
      },
    },
    {
      head: texts.origin,
      secondary: true,
      cell: (site) => {
        const status = statuses.get(site.id)
        return status ? <HealthState state={status.health} reasons={status.reasons} /> : UNKNOWN
      },
    },
    {
      head: texts.last24Hours,
      secondary: 'least',
      cell: (site) => activity && <Sparkline values={activity.hoursOf(site.id)} />,
    },
    {
      head: texts.requests,
      align: 'end',
      cell: (site) => {
        const requests = activity?.requestsOf(site.id)
        return requests === undefined ? (
          UNKNOWN
        ) : (
          <Link to="/traffic" search={{ site: [site.id] }}>
            {wholeNumber(requests)}
          </Link>
        )
      },
    },
  ]
  return may
    ? [...columns, { head: texts.open, align: 'end', cell: (site) => <EndSwitch site={site} /> }]
    : columns
}

const EndSwitch = ({ site }: { readonly site: Site }) => (
  <div className={classes.end}>
    <SiteSwitch site={site} />
  </div>
)

function SiteName({ site }: { readonly site: Site }) {
  return (
    <div>
      <Link to="/sites/$siteId/$tab" params={{ siteId: site.id, tab: 'settings' }}>
        <strong className={classes.name}>{site.gatedName}</strong>
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
        <div className="soft nowrap">{texts.closes(<RelativeTime instant={site.stopDate} />)}</div>
      ) : null}
    </div>
  )
}
