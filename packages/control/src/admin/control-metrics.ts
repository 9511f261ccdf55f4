/**
 * What the control plane measures of itself, for Prometheus. No label is a caller's text: operations are those of the contract,
 * methods those of HTTP, and nothing is told apart by organization, site or gateway, so the number of series is bounded.
 */
import { COUNTED_METHODS, DESTINATION_KINDS, type DestinationKind, OTHER_METHOD } from '@sallyport/contract'
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import type { TrafficObserver } from '../collector/traffic.ts'
import type { PoolState } from '../database/database.ts'
import type { FeedProgress } from '../feed/feed.ts'
import type { AnsweredRequest } from '../http/app.ts'
import type { AttemptResult } from '../notify/delivery/attempt.ts'
import type { QueueState } from '../notify/delivery/delivery-store.ts'

/** What is so at the moment of the question. */
export interface ControlState {
  readonly databaseUp: boolean
  readonly storeUp: boolean
  readonly pool: PoolState
  readonly feed: FeedProgress
  readonly queue: QueueState
}

export interface ControlMetrics extends TrafficObserver {
  readonly contentType: string
  text(): Promise<string>
  answered(request: AnsweredRequest): void
  failedInBackground(): void
  /** An attempt to deliver a notification has ended. */
  attempted(kind: DestinationKind, result: AttemptResult): void
}

const METHODS = new Set(COUNTED_METHODS)
const SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]
/** A gateway that was cut off sends what it kept. */
const DELIVERY_SECONDS = [0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 1_800, 3_600, 21_600, 86_400]
const RESULTS = ['stored', 'duplicate', 'quarantined', 'later']

const GAUGES: readonly (readonly [string, string, (state: ControlState) => number])[] = [
  ['database_up', '1 where PostgreSQL answers.', ({ databaseUp }) => Number(databaseUp)],
  ['traffic_store_up', '1 where the traffic store answers.', ({ storeUp }) => Number(storeUp)],
  ['database_connections', 'Open connections to PostgreSQL.', ({ pool }) => pool.open],
  ['database_connections_idle', 'Those of them that nobody uses.', ({ pool }) => pool.idle],
  ['database_connections_max', 'How many there may be.', ({ pool }) => pool.max],
  ['database_connections_waiting', 'Who waits for a connection to PostgreSQL.', ({ pool }) => pool.waiting],
  ['config_revision', 'Revision of the configuration.', ({ feed }) => feed.revision],
  ['feed_followers', 'Gateways that follow the feed of this process.', ({ feed }) => feed.followers],
  ['gateways_live', 'Gateways that were heard of lately.', ({ feed }) => feed.liveGateways],
  [
    'gateway_revision_lag',
    'Revisions by which the slowest of them is behind.',
    ({ feed }) => feed.revisionLag,
  ],
  [
    'gateway_revision_lag_seconds',
    'Age of the oldest revision that the slowest of them does not run.',
    ({ feed }) => feed.lagSeconds,
  ],
  ['notifications_waiting', 'Deliveries of notifications that wait.', ({ queue }) => queue.waiting],
  [
    'notifications_late_seconds',
    'For how long the delivery that is due longest has been due.',
    ({ queue }) => queue.lateSeconds,
  ],
]

/** Makes the metrics of one control plane, in a registry of their own. `readState` is asked once for each answer. */
export function createControlMetrics(
  version: string,
  readState: () => Promise<ControlState>,
): ControlMetrics {
  const registry = new Registry()
  const registers = [registry]
  collectDefaultMetrics({ register: registry })
  let state: ControlState | undefined
  for (const [name, help, read] of GAUGES)
    new Gauge({
      name: `sallyport_${name}`,
      help,
      registers,
      collect() {
        if (state) this.set(read(state))
      },
    })
  new Counter({
    name: 'sallyport_database_broken_connections_total',
    help: 'Connections to PostgreSQL that broke.',
    registers,
    collect() {
      this.reset()
      this.inc(state?.pool.broken ?? 0)
    },
  })
  new Gauge({
    name: 'sallyport_build_info',
    help: 'Version of the program and of Node; always 1.',
    labelNames: ['version', 'node'],
    registers,
  }).set({ version, node: process.version }, 1)
  return {
    contentType: registry.contentType,
    text: async () => {
      state = await readState()
      return registry.metrics()
    },
    answered: countRequests(registry),
    attempted: countAttempts(registry),
    ...countTraffic(registry),
  }
}

function countRequests(registry: Registry): ControlMetrics['answered'] {
  const registers = [registry]
  const requests = new Counter({
    name: 'sallyport_http_requests_total',
    help: 'Requests by operation, method and class of status.',
    labelNames: ['operation', 'method', 'status'],
    registers,
  })
  const durations = new Histogram({
    name: 'sallyport_http_request_duration_seconds',
    help: 'From the request head to the end of the answer, without answers that go on as long as the caller stays.',
    labelNames: ['operation'],
    buckets: SECONDS,
    registers,
  })
  return ({ operation, method, status, seconds }) => {
    requests.inc({
      operation,
      method: METHODS.has(method) ? method : OTHER_METHOD,
      status: `${Math.floor(status / 100)}xx`,
    })
    if (seconds !== undefined) durations.observe({ operation }, seconds)
  }
}

function countAttempts(registry: Registry): ControlMetrics['attempted'] {
  const attempts = new Counter({
    name: 'sallyport_notification_attempts_total',
    help: 'Attempts to deliver a notification, by the kind of destination and how they ended.',
    labelNames: ['kind', 'outcome'],
    registers: [registry],
  })
  for (const kind of DESTINATION_KINDS) attempts.inc({ kind, outcome: 'accepted' }, 0)
  return (kind, { outcome }) => attempts.inc({ kind, outcome })
}

function countTraffic(registry: Registry): TrafficObserver & Pick<ControlMetrics, 'failedInBackground'> {
  const registers = [registry]
  const counter = (name: string, help: string, labelNames: readonly string[] = []): Counter =>
    new Counter({ name: `sallyport_${name}`, help, labelNames: [...labelNames], registers })
  const batches = counter('batches_total', 'Batches of gateways by what became of them.', ['result'])
  const events = counter('batch_events_total', 'Events of batches that were stored.')
  const lines = counter('batch_quarantined_lines_total', 'Lines of batches that were quarantined.')
  const failures = counter('background_failures_total', 'What failed without a request.')
  const delivery = new Histogram({
    name: 'sallyport_delivery_seconds',
    help: 'From the end of the first request of a batch to its storage, by the clocks of both.',
    buckets: DELIVERY_SECONDS,
    registers,
  })
  const store = new Histogram({
    name: 'sallyport_traffic_store_duration_seconds',
    help: 'How long the traffic store took, by what it was asked and how that ended.',
    labelNames: ['use', 'result'],
    buckets: SECONDS,
    registers,
  })
  for (const result of RESULTS) batches.inc({ result }, 0)
  return {
    batch: (result) => batches.inc({ result }),
    delivered: (count, seconds) => {
      events.inc(count)
      delivery.observe(Math.max(0, seconds))
    },
    quarantinedLines: (count) => lines.inc(count),
    storeUsed: (use, result, seconds) => store.observe({ use, result }, seconds),
    failedInBackground: () => failures.inc(),
  }
}
