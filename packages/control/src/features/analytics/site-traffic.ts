/** The recorded traffic of one site in one window, as other features may read it. */
import { onlyValue, type TrafficEvent } from '@sallyport/contract'
import type { TrafficStore } from '../../traffic-store/connection.ts'
import type { CoverageRecord } from '../../traffic-store/rows/recorded-coverage.ts'
import { type Activity, activity } from './store/activity.ts'
import { attemptsOfClass } from './store/coverage/coverage-attempts.ts'
import { coverageRows } from './store/coverage/coverage-rows.ts'
import { crossedPaths } from './store/coverage/crossings.ts'
import { parameterRows } from './store/coverage/parameter-rows.ts'
import type { Scope } from './store/predicate.ts'
import { readAll } from './store/read-all.ts'
import { type RuleSummary, rulesSummary } from './store/rules-summary.ts'
import { type Totals, totals } from './store/totals.ts'

/** The window is [from, to), milliseconds since the epoch; for counts, `to` may be Infinity. */
export interface SiteWindow {
  readonly orgId: string
  readonly siteId: string
  readonly from: number
  readonly to: number
  /** Keeps what these researchers sent. */
  readonly hacker?: readonly string[] | undefined
}

export interface SiteTraffic extends CoverageRecord {
  totals(): Promise<Totals>
  byResearcher(): Promise<Activity[]>
  rules(): Promise<RuleSummary[]>
  /** Every event, oldest first, in pages. Throws once `ends` is aborted. */
  events(ends?: AbortSignal): AsyncIterable<TrafficEvent[]>
}

/** Reads anew at each call, so that two counts differ where something was stored between them. */
export function siteTraffic(
  store: TrafficStore,
  { orgId, siteId, from, to, hacker }: SiteWindow,
): SiteTraffic {
  const scope: Scope = { orgId, from, to, filter: { site: [siteId], hacker } }
  return {
    totals: () => totals(store, scope),
    byResearcher: () => activity(store, scope, 'hacker'),
    rules: () => rulesSummary(store, scope),
    coverage: (options) => coverageRows(store, scope, options),
    attempts: (options) => parameterRows(store, scope, options),
    attemptsOf: (method, attackClass) =>
      attemptsOfClass(
        store,
        { ...scope, filter: { ...scope.filter, method: [onlyValue(method)] } },
        attackClass,
      ),
    crossings: () => crossedPaths(store, scope),
    events: (ends) => readAll(store, scope, ends),
  }
}
