import type { SiteRemark, SituatedSite } from '@sallyport/contract'
import { Link } from '@tanstack/react-router'
import type { TimeWindow } from '../../api/traffic/request-filters.ts'
import type { useSituation } from '../../api/traffic/situation-queries.ts'
import { EmptyState, QueryState } from '../../design/feedback/states.tsx'
import { isolated } from '../../design/isolated.ts'
import { wholeNumber } from '../../design/number.ts'
import { Panel } from '../../design/page/panel.tsx'
import { BarList } from '../../design/table/bar-list.tsx'
import { useFold } from '../../design/table/fold.tsx'
import { REFUSED_BY_RULES } from './words/sentence.ts'

type Said = (site: SituatedSite) => string

const SAID: Readonly<Record<SiteRemark, Said>> = {
  origin_failing: () => 'Origin failing',
  error_after_hit: () => '5xx to attacks',
  server_errors: ({ serverErrors }) => `${wholeNumber(serverErrors)} × 5xx`,
  window_ending: () => 'Window ends',
  closed: () => 'Closed',
  refused: ({ refused }) => `${wholeNumber(refused)} refused`,
  quiet: () => 'Gone quiet',
  surge: () => 'Traffic surge',
  new_traffic: () => 'First traffic',
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
      title="Sites that stand out"
      actions={<Link to="/sites">All sites</Link>}
      busy={situation.isPlaceholderData}
    >
      <QueryState query={situation} />
      {sites?.items.length === 0 ? <EmptyState icon="sites" title="No site stands out" /> : null}
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
            {wholeNumber(sites.more)} more that stand out
          </Link>
        </p>
      ) : null}
      {sites && sites.others > 0 ? (
        <p>
          <Link to="/sites">
            {wholeNumber(sites.others)}
            {sites.items.length > 0 ? ' other' : ''} {sites.others === 1 ? 'site' : 'sites'} as usual
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
