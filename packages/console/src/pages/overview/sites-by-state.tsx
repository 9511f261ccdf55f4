import { Link } from '@tanstack/react-router'
import { useSites } from '../../api/queries/site-queries.ts'
import { EmptyState, QueryState } from '../../design/feedback/states.tsx'
import { Panel } from '../../design/page/panel.tsx'
import { BarList } from '../../design/table/bar-list.tsx'
import { SiteState } from '../../parts/site/site-state.tsx'

const SHOWN_MAX = 8

export function SitesByState() {
  const sites = useSites()
  const ordered = [...(sites.data ?? [])].sort((a, b) => Number(b.isActive) - Number(a.isActive))
  return (
    <Panel title="Sites" actions={<Link to="/sites">All sites</Link>}>
      <QueryState query={sites} />
      {sites.data?.length === 0 ? <EmptyState icon="sites" title="No site yet" /> : null}
      <BarList
        items={ordered.slice(0, SHOWN_MAX)}
        itemKey={(site) => site.id}
        name={(site, className) => (
          <Link to="/sites/$siteId/$tab" params={{ siteId: site.id, tab: 'settings' }} className={className}>
            {site.gatedName}
          </Link>
        )}
        value={(site) => <SiteState site={site} />}
      />
    </Panel>
  )
}
