/**
 * The sites of a researcher. There may be ten thousand in a snapshot, so they are gone through in slices, between which
 * requests get their turn; what was read of sites that have not changed is kept.
 */
import type { GateSite, ResearcherConfig } from '@sallyport/contract'
import { type AccessReason, listAdmits } from '@sallyport/policy'
import { TimeSlicer } from '@sallyport/toolbox'
import { accessTo } from '../snapshot/access.ts'
import type { SiteBrief } from '../snapshot/sites/site-brief.ts'
import type { Snapshot } from '../snapshot/snapshot.ts'

const BUSY_MAX_MS = 4

/** `GateSites`, as JSON. */
export async function listSites(
  snapshot: Snapshot,
  researcher: ResearcherConfig,
  now: number,
): Promise<string> {
  const slicer = new TimeSlicer(BUSY_MAX_MS)
  const found: SiteBrief[] = []
  for (const briefs of snapshot.siteBriefs()) {
    for (const brief of briefs) {
      if (brief.orgId !== researcher.orgId) continue
      if (listAdmits(siteOf(brief, snapshot), researcher.id)) found.push(brief)
      if (slicer.spent) await slicer.next()
    }
    if (slicer.spent) await slicer.next()
  }
  found.sort((one, other) => (one.gatedName < other.gatedName ? -1 : 1))
  const items: string[] = []
  for (const brief of found) {
    items.push(JSON.stringify(present(brief, snapshot, researcher, now)))
    if (slicer.spent) await slicer.next()
  }
  return `{"items":[${items.join(',')}]}`
}

const present = (
  brief: SiteBrief,
  snapshot: Snapshot,
  researcher: ResearcherConfig,
  now: number,
): GateSite => ({
  id: brief.id,
  gatedName: brief.gatedName,
  group: brief.groupName,
  url: snapshot.gate?.urlOf(brief.gatedName) ?? '',
  reason:
    SHOWN_REASONS[accessTo({ config: brief, lists: onItsList }, researcher, snapshot, now)] ?? 'site_closed',
  startsAt: brief.startsAt,
  stopsAt: brief.stopsAt,
})

/** Sites whose list leaves the researcher out are sorted out before any is presented. */
const onItsList = (): boolean => true

/** The whole site is looked up only where its list is asked. */
const siteOf = (config: SiteBrief, snapshot: Snapshot) => ({
  config,
  lists: (researcherId: string) => snapshot.site(config.id)?.lists(researcherId) === true,
})

/** What researchers are told of a decision, where it is not that the site is closed. */
const SHOWN_REASONS: Partial<Record<AccessReason, GateSite['reason']>> = {
  admitted_all: '',
  admitted_listed: '',
  researcher_paused: 'researcher_paused',
  researcher_expired: 'researcher_expired',
}
