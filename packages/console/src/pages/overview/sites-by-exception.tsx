import type { SiteRemark, SituatedSite } from '@sallyport/contract'
import { Link } from '@tanstack/react-router'
import type { TimeWindow } from '../../api/traffic/request-filters.ts'
import type { useSituation } from '../../api/traffic/situation-queries.ts'
import { EmptyState, QueryState } from '../../design/feedback/states.tsx'
import { isolated } from '../../design/isolated.ts'
import { wholeNumber } from '../../design/number.ts'
import { Panel } from '../../design/page/panel.tsx'
import { BarList } from '../../design/table/bar-list.tsx'
import { REFUSED_BY_RULES } from './words/sentence.ts'

type Said = (site: SituatedSite) => string

const SAID: Readonly<Record<SiteRemark, Said>> = {
  origin_failing: () => 'Origin fails',
  error_after_hit: () => '5xx to attacks',
  server_errors: ({ serverErrors }) => `${wholeNumber(serverErrors)} × 5xx`,
  window_ending: () => 'Window ends',
  closed: () => 'Closed',
  refused: ({ refused }) => `${wholeNumber(refused)} refused`,
  quiet: () => 'Gone quiet',
  surge: () => 'Far more traffic',
  new_traffic: () => 'First traffic',
}
const SAID_MAX = 2

/** The sites that have something to say, and how many have nothing. */
export function SitesByException(props: {
  readonly situation: ReturnType<typeof useSituation>
  readonly window: TimeWindow
}) {
  const { situation, window } = props
  const sites = situation.data?.sites
  return (
    <Panel
      title="Sites with something to say"
      actions={<Link to="/sites">All sites</Link>}
      busy={situation.isPlaceholderData}
    >
      <QueryState query={situation} />
      {sites?.items.length === 0 ? <EmptyState icon="sites" title="No site has anything to say" /> : null}
      <BarList
        items={sites?.items ?? []}
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
      {sites && sites.more > 0 ? (
        <p className="soft">And {wholeNumber(sites.more)} more with something to say.</p>
      ) : null}
      {sites && sites.others > 0 ? (
        <p>
          <Link to="/sites">
            {sites.items.length > 0 ? 'And ' : ''}
            {wholeNumber(sites.others)} {sites.others === 1 ? 'site' : 'sites'} without anything to say
          </Link>
        </p>
      ) : null}
    </Panel>
  )
}

/** The requests behind what a site says first. */
function searchOf([first]: readonly SiteRemark[]) {
  if (first === 'error_after_hit' || first === 'server_errors')
    return { status: ['5xx'], outcome: ['origin'] }
  return first === 'refused' ? { outcome: REFUSED_BY_RULES } : {}
}
