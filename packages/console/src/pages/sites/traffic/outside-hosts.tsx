/** Where answers of a site lead browsers out of the gate, and how what they lead to gets behind it. */
import { onlyValue, type Site } from '@sallyport/contract'
import { Link } from '@tanstack/react-router'
import { usePermission } from '../../../api/queries/account-queries.ts'
import { type FacetValue, facetValues, useOutsideHosts } from '../../../api/traffic/analytics-queries.ts'
import { Panel } from '../../../design/page/panel.tsx'
import { texts } from './texts.ts'

const GTE = 'now-7d'
/** Hosts that are asked for, and those of them that are listed: an origin may name any number. */
const HOSTS_ASKED = 50
const HOSTS_LISTED = 10

/** Nothing is shown of a site whose answers lead nowhere else. */
export function OutsideHosts({ site }: { readonly site: Site }) {
  const facets = useOutsideHosts(site.id, GTE, HOSTS_ASKED)
  const hosts = facetValues(facets.data, 'leadsTo')
  const further = hosts.length - HOSTS_LISTED
  if (hosts.length === 0) return null
  return (
    <Panel title={texts.hostsOutsideTheGate} description={texts.hostsOutsideTheGateHint}>
      <ul>
        {hosts.slice(0, HOSTS_LISTED).map((host) => (
          <OutsideHost
            key={host.value}
            site={site}
            host={host}
            behind={facets.data?.hostSites?.find((one) => one.host === host.value)}
          />
        ))}
      </ul>
      {further > 0 ? (
        <p className="soft">{texts.andAtLeastFurtherHosts(hosts.length === HOSTS_ASKED, further)}</p>
      ) : null}
    </Panel>
  )
}

interface HostSite {
  readonly id: string
  readonly name: string
}

function OutsideHost(props: {
  readonly site: Site
  readonly host: FacetValue
  /** The site whose origin it is. */
  readonly behind: HostSite | undefined
}) {
  const { site, host, behind } = props
  const { value, count } = host
  return (
    <li>
      {texts.to(
        <Link to="/traffic" search={{ site: [site.id], gte: GTE, leadsTo: [onlyValue(value)] }}>
          {texts.answersLead(count)}
        </Link>,
        <span className="mono">{value}</span>,
        <Standing host={value} behind={behind} />,
      )}
    </li>
  )
}

/** Whether the host is the origin of a site, which the application names by its own name. */
function Standing({ host, behind }: { readonly host: string; readonly behind: HostSite | undefined }) {
  const may = usePermission('sites:write')
  if (behind)
    return (
      <>
        {texts.whichIsBehind(
          <Link to="/sites/$siteId/$tab" params={{ siteId: behind.id, tab: 'settings' }}>
            {behind.name}
          </Link>,
        )}
      </>
    )
  return (
    <>
      {texts.whichIsNotBehind(
        may ? (
          <Link to="/setup" search={{ origin: host }}>
            {texts.putItThere}
          </Link>
        ) : null,
      )}
    </>
  )
}
