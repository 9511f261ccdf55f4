import { Link } from '@tanstack/react-router'
import type { ShownSite } from '../../api/queries/site-queries.ts'
import { Status } from '../../design/table/status.tsx'
import classes from './sites.module.css'
import { texts } from './texts.ts'

/** Shown while a gateway may run an older revision than the site's last change; one that is silent is not among those of its health. */
export function DeploymentProgress({ site }: { readonly site: ShownSite }) {
  if (!site.isDeploymentProgress) return null
  const gateways = site.health?.gateways ?? []
  const done = gateways.filter((gateway) => gateway.isUpToDate).length
  return (
    <div className={classes.deploying} role="status">
      <Status tone="busy">{texts.theLastChange}</Status>
      {gateways.length > 0 ? (
        <span className="tabular soft">
          {done < gateways.length ? texts.ofRunIt(done, gateways.length) : texts.allThatAnswer}
        </span>
      ) : null}
      <Link to="/gateways">{texts.gateways}</Link>
    </div>
  )
}
