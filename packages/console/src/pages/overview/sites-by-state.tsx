import { Link } from '@tanstack/react-router'
import { useSites } from '../../api/queries/site-queries.ts'
import { EmptyState, ErrorState, LoadingState } from '../../design/feedback/states.tsx'
import { Panel } from '../../design/page/panel.tsx'
import { SiteState } from '../../parts/site/site-state.tsx'
import classes from './overview.module.css'

const SHOWN_MAX = 8

export function SitesByState() {
  const sites = useSites()
  const ordered = [...(sites.data ?? [])].sort((a, b) => Number(b.isActive) - Number(a.isActive))
  return (
    <Panel title="Sites" actions={<Link to="/sites">All sites</Link>}>
      {sites.isPending ? <LoadingState /> : null}
      {sites.error ? <ErrorState error={sites.error} onRetry={() => void sites.refetch()} /> : null}
      {sites.data?.length === 0 ? <EmptyState icon="sites" title="No site yet" /> : null}
      <ul className={classes.bars}>
        {ordered.slice(0, SHOWN_MAX).map((site) => (
          <li key={site.id} className={classes.bar}>
            <Link
              to="/sites/$siteId/$tab"
              params={{ siteId: site.id, tab: 'settings' }}
              className={classes.barName}
            >
              {site.gatedName}
            </Link>
            <SiteState site={site} />
          </li>
        ))}
      </ul>
    </Panel>
  )
}
