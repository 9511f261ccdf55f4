import type { SiteRemark, SituatedSite } from '@sallyport/contract'
import { Link } from '@tanstack/react-router'
import type { TimeWindow } from '../../api/traffic/request-filters.ts'
import type { useSituation } from '../../api/traffic/situation-queries.ts'
import { EmptyState, QueryState } from '../../design/feedback/states.tsx'
import { isolated } from '../../design/isolated.ts'
import { Panel } from '../../design/page/panel.tsx'
import { BarList } from '../../design/table/bar-list.tsx'
import { useFold } from '../../design/table/fold.tsx'
import { wholeNumber } from '../../language/number.ts'
import { texts } from './texts.ts'
import { REFUSED_BY_RULES } from './words/sentence.ts'

type Said = (site: SituatedSite) => string

const SAID: Readonly<Record<SiteRemark, Said>> = {
  origin_failing: () => texts.originFailing,
  error_after_hit: () => texts.status5xxToAttacks,
  server_errors: ({ serverErrors }) => texts.status5xx(serverErrors),
  window_ending: () => texts.windowEnds,
  closed: () => texts.closed,
  refused: ({ refused }) => texts.refusedRefused(refused),
  quiet: () => texts.goneQuiet,
  surge: () => texts.trafficSurge,
  new_traffic: () => texts.firstTraffic,
}
const SAID_MAX = 2
const SHOWN = 8

/** The sites that stand out, and how many do not. */
export function SitesByException(props: {
  readonly situation: ReturnType<typeof useSituation>
  readonly window: TimeWindow
}) {
  const { situation, window } = props
  const sites = situation.data?.sites
  const { shown, button } = useFold(sites?.items ?? [], SHOWN)
  return (
    <Panel
      title={texts.sitesThatStandOut}
      actions={<Link to="/sites">{texts.allSites}</Link>}
      busy={situation.isPlaceholderData}
    >
      <QueryState query={situation} />
      {sites?.items.length === 0 ? <EmptyState icon="sites" title={texts.noSiteStandsOut} /> : null}
      <BarList
        items={shown}
        itemKey={(site) => site.id}
        name={(site, className) => (
          <Link
            to="/traffic"
            search={{ ...window, site: [site.id], ...searchOf(site.remarks) }}
            className={className}
          >
            {isolated(site.name)}
          </Link>
        )}
        value={(site) => (
          <span className="soft tabular">
            {site.remarks
              .slice(0, SAID_MAX)
              .map((remark) => SAID[remark](site))
              .join(', ')}
          </span>
        )}
      />
      {button}
      {sites && sites.more > 0 ? (
        <p>
          <Link to="/traffic" search={{ ...window, group: 'site' }}>
            {texts.moreThatStandOut(sites.more)}
          </Link>
        </p>
      ) : null}
      {sites && sites.others > 0 ? (
        <p>
          <Link to="/sites">
            {wholeNumber(sites.others)}
            {texts.otherSiteSitesAsUsual(sites.items.length > 0, sites.others)}
          </Link>
        </p>
      ) : null}
    </Panel>
  )
}

/** The requests behind the first remark on a site. */
function searchOf([first]: readonly SiteRemark[]) {
  if (first === 'error_after_hit' || first === 'server_errors')
    return { status: ['5xx'], outcome: ['origin'] }
  return first === 'refused' ? { outcome: REFUSED_BY_RULES } : {}
}
