/** What the benchmark of the traffic store asks, by name. Each is a whole answer of the analytics. */
import type { AnalyticsService } from '../../packages/control/src/features/analytics/service.ts'
import { situationTraffic } from '../../packages/control/src/features/analytics/situation/situation-traffic.ts'
import { SITUATION_BOUNDS } from '../../packages/control/src/features/situation/service.ts'
import type { TrafficStore } from '../../packages/control/src/traffic-store/connection.ts'
import type { Names } from './made-up-requests.ts'

/** `now` is the instant after the newest request, milliseconds since the epoch. */
export type Question = (
  service: AnalyticsService,
  names: Names,
  behind: { readonly store: TrafficStore; readonly now: number },
) => Promise<unknown>

/**
 * The store ends with a whole hour. So that windows start within an hour and within ten minutes, as they do in life, they
 * are this much longer than they are called.
 */
const STARTS_EARLIER = '-25m'

const operations = (name: string, gte = name + STARTS_EARLIER): Record<string, Question> => ({
  [`getTotalRequest ${name}`]: (service, { orgId }) => service.totals(orgId, { gte }),
  [`getTrafficTimeline ${name}`]: (service, { orgId }) => service.timeline(orgId, { gte }),
  [`getWAFSummaryRulesTimeline ${name}`]: (service, { orgId }) => service.rulesTimeline(orgId, { gte }),
  [`getSummaryTrafficTable ${name}`]: (service, { orgId }) => service.summary(orgId, { gte }),
})

/** What the overview asks of the record. */
const situation =
  (days: number): Question =>
  (_service, { orgId }, { store, now }) => {
    const from = now - days * 86_400_000 - 25 * 60_000
    return situationTraffic(store, { orgId, from, to: now, isOpen: true, timeZone: 'UTC' }, SITUATION_BOUNDS)
  }

const newest =
  (filter: object): Question =>
  (service, { orgId }) =>
    service.requests(orgId, { gte: 'now-30d', limit: 50, ...filter })

export const QUESTIONS: Readonly<Record<string, Question>> = {
  ...operations('now-24h'),
  ...operations('now-7d'),
  ...operations('now-30d'),
  'situation now-24h': situation(1),
  'situation now-7d': situation(7),
  'situation now-30d': situation(30),
  'newest 50': newest({}),
  'newest 50 of a researcher': (service, names, behind) =>
    newest({ hacker: [names.researchers[7]] })(service, names, behind),
  'newest 50 of a researcher who sent nothing': newest({ hacker: ['nobody'] }),
  'newest 50 under a path': newest({ path: ['/api/orders/9999'] }),
  'newest 50 under a rare path': newest({ path: ['/products/1999/reviews'] }),
  'newest 50 under a path that nobody asked for': newest({ path: ['/nothing/here'] }),
  'newest 50 of a firewall rule': newest({ firewallRule: ['crs-942-250'] }),
  'newest 50 of a firewall rule that never hit': newest({ firewallRule: ['crs-000'] }),
  'newest 50 of a block rule': newest({ rule: ['rule-1'] }),
  'newest 50 of a block rule that never hit': newest({ rule: ['rule-0'] }),
  'newest 50 but of a path, a tool and all statuses but one': newest({
    path: ['!/api/'],
    tool: ['!curl'],
    status: ['!200', '!302', '!404', '!403'],
  }),
  'facets now-24h': (service, { orgId }) => service.facets(orgId, { gte: 'now-24h', values: 10 }),
  'facets now-30d': (service, { orgId }) => service.facets(orgId, { gte: 'now-30d', values: 10 }),
}
