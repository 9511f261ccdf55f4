/** SQL of which sites have something new to learn from, and who learns them. Reads across organizations. */
import type { Transaction } from '../../../database/database.ts'
import { firstRow } from '../../../database/rows.ts'
import type { TrafficStore } from '../../../traffic-store/connection.ts'
import type { LearnedSite } from '../definition/observations-store.ts'
import type { LearnedTemplate, RoutesRow } from './store.ts'

/** A site with the time of its last request, milliseconds since the epoch. */
export interface ObservedSite extends LearnedSite {
  readonly lastSeen: number
}

/** Sites of which there are observations since an instant. Sums are kept by the day. */
export const readObservedSites = (
  store: Pick<TrafficStore, 'query'>,
  sinceMs: number,
): Promise<ObservedSite[]> =>
  store.query<ObservedSite>(
    `SELECT org_id AS orgId, site_id AS id, toFloat64(toUnixTimestamp64Milli(max(o.last_seen))) AS lastSeen
     FROM api_observations AS o WHERE time >= toStartOfDay(toDateTime({since:UInt32}, 'UTC')) GROUP BY org_id, site_id
     HAVING max(o.last_seen) >= toDateTime64({since:UInt32}, 3, 'UTC')`,
    { since: Math.floor(sinceMs / 1000) },
  )

/** A site that was learned before, or is to be. */
export interface SiteLearning extends LearnedSite {
  /** Whether its definition changed, or who claimed it did not come to an end with it. */
  readonly isDue: boolean
  /** Milliseconds since the epoch; null for never. */
  readonly learnedAt: number | null
}

/** Those that nobody has claimed: all of them, or only those that are due. */
export const readLearnings = (tx: Transaction, isDueOnly: boolean): Promise<SiteLearning[]> =>
  tx.query(
    `SELECT org_id AS "orgId", site_id AS id, is_due OR claimed_until IS NOT NULL AS "isDue", (extract(epoch FROM learned_at) * 1000)::float8 AS "learnedAt"
     FROM site_routes WHERE (claimed_until IS NULL OR claimed_until < now()) AND (is_due OR claimed_until IS NOT NULL OR NOT $1)`,
    [isDueOnly],
  )

/** A site that one control plane has for a while. */
export interface ClaimedSite extends Pick<RoutesRow, 'learned'> {
  /** The claim's end, as the database writes it. A later claim ends later, so it tells one from the other. */
  readonly claim: string
}

/** Takes a site for a while, so that no other control plane learns it; nothing where another has it, or there is no such site. */
export const claimSite = (
  tx: Transaction,
  { orgId, id }: LearnedSite,
  claimMs: number,
): Promise<ClaimedSite | undefined> =>
  firstRow(
    tx,
    `INSERT INTO site_routes AS r (org_id, site_id, claimed_until)
     SELECT org_id, id, now() + make_interval(secs => $3) FROM sites WHERE org_id = $1 AND id = $2
     ON CONFLICT (org_id, site_id) DO UPDATE SET claimed_until = excluded.claimed_until, is_due = false
       WHERE r.claimed_until IS NULL OR r.claimed_until < now()
     RETURNING learned, claimed_until::text AS claim`,
    [orgId, id, claimMs / 1_000],
  )

/** Keeps what was learned, and gives the site back. False where the claim lapsed meanwhile and another has, or had, the site. */
export const keepLearned = async (
  tx: Transaction,
  { orgId, id }: LearnedSite,
  claim: string,
  given: readonly string[],
  learned: readonly LearnedTemplate[],
): Promise<boolean> =>
  (await firstRow(
    tx,
    `UPDATE site_routes SET given = $4, learned = $5, learned_at = now(), claimed_until = NULL
     WHERE org_id = $1 AND site_id = $2 AND claimed_until = $3::timestamptz RETURNING site_id`,
    [orgId, id, claim, given, JSON.stringify(learned)],
  )) !== undefined
