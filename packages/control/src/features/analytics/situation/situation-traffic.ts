/** The recorded traffic of an organization in one window and in that before it, as the situation reads it. */
import type { TrafficEvent } from '@sallyport/contract'
import type { TrafficStore } from '../../../traffic-store/connection.ts'
import { bucketStarts, chooseInterval } from '../query/interval.ts'
import { facet } from '../store/facets.ts'
import type { Scope } from '../store/predicate.ts'
import { readRequests } from '../store/request-log.ts'
import {
  busiestSenders,
  type CountsOfSite,
  countsBySite,
  type ErrorsAfterHits,
  errorsAfterHits,
  type MatchedRule,
  newestRequest,
  type RefusingLimit,
  type SenderCount,
  type SituationBucket,
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

/** What one period held. */
export interface PeriodTraffic {
  readonly sites: readonly CountsOfSite[]
  readonly senders: readonly SenderCount[]
  readonly researchers: number
}

export interface SituationTraffic {
  readonly interval: string
  readonly buckets: readonly SituationBucket[]
  readonly period: PeriodTraffic
  readonly before: PeriodTraffic
  readonly tools: readonly { readonly value: string; readonly count: number }[]
  readonly rules: readonly MatchedRule[]
  readonly limits: readonly RefusingLimit[]
  readonly errors: readonly ErrorsAfterHits[]
  readonly newest: readonly TrafficEvent[]
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
): Promise<SituationTraffic> {
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

async function periodTraffic(store: TrafficStore, scope: Scope, senders: number): Promise<PeriodTraffic> {
  const [sites, sent] = await Promise.all([countsBySite(store, scope), busiestSenders(store, scope, senders)])
  return { sites, ...sent }
}
