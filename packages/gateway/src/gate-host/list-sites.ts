/**
 * The sites of a researcher. There may be ten thousand in a snapshot, so they are gone through in slices, between which
 * requests get their turn; what was read of sites that have not changed is kept.
 */
import type { GateSite, ResearcherConfig } from '@sallyport/contract'
import { TimeSlicer } from '@sallyport/toolbox'
import type { SiteBrief } from '../snapshot/site-brief.ts'
import type { Snapshot } from '../snapshot/snapshot.ts'
import { isOpen } from '../stages/site/judge-site.ts'

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
      if (brief.access === 'listed' && !snapshot.site(brief.id)?.lists(researcher.id)) continue
      found.push(brief)
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
  { id, orgId, gatedName, enabled, startsAt, stopsAt }: SiteBrief,
  snapshot: Snapshot,
  { paused, expiresAt }: ResearcherConfig,
  now: number,
): GateSite => ({
  id,
  gatedName,
  url: snapshot.gate?.urlOf(gatedName) ?? '',
  reason: !isOpen({ orgId, enabled, startsAt, stopsAt }, snapshot, now)
    ? 'site_closed'
    : paused
      ? 'researcher_paused'
      : expiresAt !== null && now >= expiresAt
        ? 'researcher_expired'
        : '',
  startsAt,
  stopsAt,
})
