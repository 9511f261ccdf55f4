/**
 * Sites by exception: which have something to say, and what. A site says that its origin fails or answers 5xx, that its window
 * ends, that it is closed although there was traffic, that much of it was refused, or that there is far more of it than before,
 * or none any more. What a handful of requests would say by chance is not said.
 */
import {
  type AttentionItem,
  type AttentionKind,
  SITE_REMARKS,
  type SiteRemark,
  type SituatedSite,
} from '@sallyport/contract'

/** A site with what was counted of it. */
export interface CountedSite {
  readonly id: string
  readonly name: string
  readonly isOpen: boolean
  readonly requests: number
  /** Null where there is no period before. */
  readonly requestsBefore: number | null
  readonly refused: number
  readonly serverErrors: number
}

/** Fewer requests are no share of anything. */
const SHARE_OF_MIN = 10
const SERVER_ERRORS_SHARE = 0.05
const REFUSED_SHARE = 0.25
/** Fewer requests are neither a surge nor missed. */
const TRAFFIC_MIN = 100
const SURGE_TIMES = 3

const REMARKS_OF_KINDS: Readonly<Partial<Record<AttentionKind, SiteRemark>>> = {
  origin_failing: 'origin_failing',
  origin_error_after_hit: 'error_after_hit',
  window_ending: 'window_ending',
}

/** What there is to say of a site, the weightiest first; `attention` is what needs attention at it. */
export function remarksOf(site: CountedSite, attention: readonly AttentionKind[]): SiteRemark[] {
  const { isOpen, requests, requestsBefore: before, refused, serverErrors } = site
  const said = new Set<SiteRemark>(attention.flatMap((kind) => REMARKS_OF_KINDS[kind] ?? []))
  if (serverErrors >= SHARE_OF_MIN && serverErrors >= SERVER_ERRORS_SHARE * requests)
    said.add('server_errors')
  if (refused >= SHARE_OF_MIN && refused >= REFUSED_SHARE * requests) said.add('refused')
  if (!isOpen && requests > 0) said.add('closed')
  if (before !== null) {
    if (before >= TRAFFIC_MIN && requests === 0) said.add('quiet')
    if (before === 0 && requests > 0) said.add('new_traffic')
    if (before > 0 && requests >= TRAFFIC_MIN && requests >= SURGE_TIMES * before) said.add('surge')
  }
  return SITE_REMARKS.filter((remark) => said.has(remark))
}

/** The sites that have something to say: by their weightiest remark, then by how many they have, then by their requests. */
export function exceptionalSites(
  sites: readonly CountedSite[],
  attention: readonly AttentionItem[],
): SituatedSite[] {
  const bySite = Map.groupBy(attention, (item) => item.site?.id ?? '')
  return sites
    .map(({ isOpen, ...site }) => ({
      ...site,
      remarks: remarksOf(
        { isOpen, ...site },
        (bySite.get(site.id) ?? []).map(({ kind }) => kind),
      ),
    }))
    .filter(({ remarks }) => remarks.length > 0)
    .sort(
      (left, right) =>
        weightOf(left) - weightOf(right) ||
        right.remarks.length - left.remarks.length ||
        right.requests - left.requests ||
        left.name.localeCompare(right.name, 'en'),
    )
}

const weightOf = ({ remarks: [first] }: SituatedSite): number =>
  first === undefined ? SITE_REMARKS.length : SITE_REMARKS.indexOf(first)
