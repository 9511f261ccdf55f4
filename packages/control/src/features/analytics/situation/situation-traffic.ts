/** The recorded traffic of an organization in one window and in that before it, as the situation reads it. */
import type { TrafficStore } from '../../../traffic-store/connection.ts'
import type { RecordedPeriod, RecordedSituation } from '../../../traffic-store/rows/recorded-situation.ts'
import { bucketStarts, chooseInterval } from '../query/interval.ts'
import { facet } from '../store/facets.ts'
import type { Scope } from '../store/predicate.ts'
import { readRequests } from '../store/request-log.ts'
import {
  busiestSenders,
  countsBySite,
  errorsAfterHits,
  newestRequest,
  scannerRequests,
  situationBuckets,
  situationRules,
} from '../store/situation.ts'

/** [from, to), milliseconds since the epoch; `isOpen` where it ends now. */
export interface SituationSpan {
  readonly orgId: string
  readonly from: number
  readonly to: number
  readonly isOpen: boolean
  readonly timeZone: string
}

/** How many of each there may be in an answer. */
export interface SituationBounds {
  readonly senders: number
  readonly tools: number
  readonly rules: number
  readonly limits: number
  readonly errors: number
  readonly newest: number
}

/** When the newest request of an organization since `from` came, milliseconds since the epoch; null for none. */
export const newestRequestSince = (
  store: TrafficStore,
  orgId: string,
  from: number,
): Promise<number | null> => newestRequest(store, { orgId, from, to: Number.POSITIVE_INFINITY, filter: {} })

/** Asks a fixed number of questions, whatever the traffic. */
export async function situationTraffic(
  store: TrafficStore,
  { orgId, from, to, isOpen, timeZone }: SituationSpan,
  max: SituationBounds,
): Promise<RecordedSituation> {
  const scope: Scope = { orgId, from, to: isOpen ? Number.POSITIVE_INFINITY : to, filter: {} }
  const before: Scope = { orgId, from: Math.max(from - (to - from), 0), to: from, filter: {} }
  const interval = chooseInterval(to - from)
  const [buckets, period, earlier, tools, rules, errors, newest] = await Promise.all([
    situationBuckets(store, scope, bucketStarts(interval, from, to, timeZone)),
    periodTraffic(store, scope, max.senders),
    periodTraffic(store, before, 1),
    facet(store, scope, 'tool', max.tools),
    situationRules(store, scope, max),
    errorsAfterHits(store, scope, max.errors),
    readRequests(store, { ...scope, to }, 'older', max.newest),
  ])
  return { interval, buckets, period, before: earlier, tools: tools.values, ...rules, errors, newest }
}

async function periodTraffic(store: TrafficStore, scope: Scope, senders: number): Promise<RecordedPeriod> {
  const [sites, { researchers, senders: busiest }, scanners] = await Promise.all([
    countsBySite(store, scope),
    busiestSenders(store, scope, senders),
    scannerRequests(store, scope),
  ])
  return {
    sites,
    researchers,
    senders: busiest.map((sender) => ({ ...sender, scanners: scanners.get(sender.researcherId) ?? 0 })),
    scanners: scanners.values().reduce((sum, sent) => sum + sent, 0),
  }
}
