import { Link } from '@tanstack/react-router'
import { useSites } from '../../api/site-queries.ts'
import { Panel } from '../../design/panel.tsx'
import { EmptyState, ErrorState, LoadingState } from '../../design/states.tsx'
import { SiteState } from '../sites/site-state.tsx'
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
