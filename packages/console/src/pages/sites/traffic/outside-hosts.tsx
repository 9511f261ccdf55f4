/** Where answers of a site lead browsers out of the gate, and how what they lead to gets behind it. */
import { onlyValue, type Site } from '@sallyport/contract'
import { Link } from '@tanstack/react-router'
import { usePermission } from '../../../api/queries/account-queries.ts'
import { useSites } from '../../../api/queries/site-queries.ts'
import { type FacetValue, facetValues, useFacets } from '../../../api/traffic/analytics-queries.ts'
import { wholeNumber } from '../../../design/number.ts'
import { Panel } from '../../../design/page/panel.tsx'

const GTE = 'now-7d'
/** Hosts that are asked for, and those of them that are listed: an origin may name any number. */
const HOSTS_ASKED = 50
const HOSTS_LISTED = 10

/** Nothing is shown of a site whose answers lead nowhere else. */
export function OutsideHosts({ site }: { readonly site: Site }) {
  const facets = useFacets({ gte: GTE, site: [site.id] }, ['leadsTo'], HOSTS_ASKED)
  const hosts = facetValues(facets.data, 'leadsTo')
  const further = hosts.length - HOSTS_LISTED
  if (hosts.length === 0) return null
  return (
    <Panel
      title="Out of the gate"
      description="What browsers do at these hosts is neither judged nor recorded. Over the last 7 days:"
    >
      <ul>
        {hosts.slice(0, HOSTS_LISTED).map((host) => (
          <OutsideHost key={host.value} site={site} host={host} />
        ))}
      </ul>
      {further > 0 ? (
        <p className="soft">
          And {hosts.length === HOSTS_ASKED ? 'at least ' : ''}
          {wholeNumber(further)} further hosts.
        </p>
      ) : null}
    </Panel>
  )
}

function OutsideHost({ site, host: { value, count } }: { readonly site: Site; readonly host: FacetValue }) {
  return (
    <li>
      <Link to="/traffic" search={{ site: [site.id], gte: GTE, leadsTo: [onlyValue(value)] }}>
        {count === 1 ? '1 answer leads' : `${wholeNumber(count)} answers lead`}
      </Link>{' '}
      to <span className="mono">{value}</span>, <Standing host={value} />
    </li>
  )
}

/** Whether the host is the origin of a site, which the application names by its own name. */
function Standing({ host }: { readonly host: string }) {
  const sites = useSites()
  const may = usePermission('sites:write')
  const behind = sites.data?.find(({ originName }) => hostOf(originName) === host)
  if (behind)
    return (
      <>
        which is behind the gate as{' '}
        <Link to="/sites/$siteId/$tab" params={{ siteId: behind.id, tab: 'settings' }}>
          {behind.gatedName}
        </Link>{' '}
        and named by its own name here.
      </>
    )
  return (
    <>
      which is not behind the gate.{' '}
      {may ? (
        <Link to="/setup" search={{ origin: host }}>
          Put it there
        </Link>
      ) : null}
    </>
  )
}

/** With a port where it is not that of the scheme, as the record has it. */
const hostOf = (originName: string): string | undefined =>
  URL.parse(originName.includes('://') ? originName : `https://${originName}`)?.host
