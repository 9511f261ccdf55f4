/** What each researcher of an organization did, as a roster shows it. */
import type { TrafficStore } from '../../../traffic-store/connection.ts'
import { rosterCounts, rosterLastSeen } from '../store/researchers/roster-counts.ts'

export interface ResearcherActivity {
  readonly hacker: string
  readonly requests: number
  readonly firewallHits: number
  /** Milliseconds since the epoch, of all that is recorded. */
  readonly lastSeenMs: number
}

/** Counts of the window, [from, to) in milliseconds since the epoch; who is not among them sent nothing that is recorded. */
export async function rosterActivity(
  store: Pick<TrafficStore, 'query'>,
  orgId: string,
  window: { readonly from: number; readonly to: number },
): Promise<readonly ResearcherActivity[]> {
  const [counts, lastSeen] = await Promise.all([
    rosterCounts(store, { orgId, ...window, filter: {} }),
    rosterLastSeen(store, orgId),
  ])
  return [...lastSeen].map(([hacker, lastSeenMs]) => {
    const { requests = 0, hits = 0 } = counts.get(hacker) ?? {}
    return { hacker, requests, firewallHits: hits, lastSeenMs }
  })
}
