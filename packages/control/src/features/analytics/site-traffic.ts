/** The recorded traffic of one site in one window, as other features may read it. */
import type { TrafficEvent } from '@sallyport/contract'
import type { TrafficStore } from '../../traffic-store/connection.ts'
import { type Activity, activity } from './store/activity.ts'
import type { Scope } from './store/predicate.ts'
import { readAll } from './store/read-all.ts'
import { type RuleSummary, rulesSummary } from './store/rules-summary.ts'
import { type Totals, totals } from './store/totals.ts'

/** The window is [from, to), milliseconds since the epoch. */
export interface SiteWindow {
  readonly orgId: string
  readonly siteId: string
  readonly from: number
  readonly to: number
}

export interface SiteTraffic {
  totals(): Promise<Totals>
  byResearcher(): Promise<Activity[]>
  rules(): Promise<RuleSummary[]>
  /** Every event, oldest first, in pages. */
  events(): AsyncIterable<TrafficEvent[]>
}

/** Reads anew at each call, so that two counts differ where something was stored between them. */
export function siteTraffic(store: TrafficStore, { orgId, siteId, from, to }: SiteWindow): SiteTraffic {
  const scope: Scope = { orgId, from, to, filter: { site: [siteId] } }
  return {
    totals: () => totals(store, scope),
    byResearcher: () => activity(store, scope, 'hacker'),
    rules: () => rulesSummary(store, scope),
    events: () => readAll(store, scope),
  }
}
