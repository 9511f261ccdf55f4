/** What the gateway measures of itself, for Prometheus. No label comes from a request, so their number is bounded. */
import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client'
import type { JournalProgress } from '../record/recorder.ts'
import { durationsText } from './duration-histogram.ts'
import { NO_MEASURES, sumOfMeasures, type TrafficMeasures } from './traffic-measures.ts'

export interface Metrics {
  readonly contentType: string
  text(): Promise<string>
}

export interface MeasuredParts {
  readonly revision: () => number
  /** How long ago the control plane vouched for the configuration, and whether it grants leases now. */
  readonly lease: () => { readonly ageMs: number; readonly isGranted: boolean }
  /** What each thread that serves requests has measured, by its number. */
  readonly threads: () => readonly TrafficMeasures[] | Promise<readonly TrafficMeasures[]>
  /** How often a thread was started again; 0 where there is one that cannot be. */
  readonly threadRestarts: () => number
}

const JOURNAL_GAUGES: readonly (readonly [string, string, (progress: JournalProgress) => number])[] = [
  ['pending_events', 'Events that the control plane has not acknowledged.', ({ pending }) => pending],
  ['lag_seconds', 'How long the oldest of them has waited.', ({ lagMs }) => lagMs / 1_000],
  ['bytes', 'Size of the journal on disk.', ({ bytes }) => bytes],
  ['open_intents', 'Requests that are with an origin.', ({ openIntents }) => openIntents],
  ['damaged_bytes', 'Bytes found damaged and set aside.', ({ damagedBytes }) => damagedBytes],
  ['dropped_events', 'Events not kept because the journal was full.', ({ dropped }) => dropped],
  [
    'aggregated_refusals',
    'Refusals of strangers that were counted instead of recorded one by one.',
    ({ aggregated }) => aggregated,
  ],
  [
    'stranger_bytes',
    "Bytes of strangers' records that the control plane has not acknowledged.",
    ({ strangerBytes }) => strangerBytes,
  ],
]

/** Makes the metrics of one gateway, in a registry of their own. */
export function createMetrics(parts: MeasuredParts): Metrics {
  const registry = new Registry()
  const registers = [registry]
  collectDefaultMetrics({ register: registry, prefix: 'sallyport_' })
  // Read once for each answer.
  let threads: readonly TrafficMeasures[] = []
  let sums = NO_MEASURES
  const counter = (
    name: string,
    help: string,
    labelNames: readonly string[],
    read: (counter: Counter) => void,
  ): Counter =>
    new Counter({
      name,
      help,
      labelNames: [...labelNames],
      registers,
      collect() {
        this.reset()
        read(this)
      },
    })
  counter(
    'sallyport_requests_total',
    'Requests by who answered and why.',
    ['outcome', 'reason'],
    (metric) => {
      for (const [outcome, reason, count] of sums.requests) metric.inc({ outcome, reason }, count)
    },
  )
  counter(
    'sallyport_thread_requests_total',
    'Requests by the thread that served them.',
    ['thread'],
    (metric) => {
      for (const [thread, { durations }] of threads.entries())
        metric.inc(
          { thread },
          durations.counts.reduce((total, count) => total + count, 0),
        )
    },
  )
  counter('sallyport_thread_processor_seconds_total', 'Processor time by thread.', ['thread'], (metric) => {
    for (const [thread, { processorMs }] of threads.entries()) metric.inc({ thread }, processorMs / 1_000)
  })
  counter('sallyport_thread_restarts_total', 'Threads that failed and were started again.', [], (metric) =>
    metric.inc(parts.threadRestarts()),
  )
  const gauge = (name: string, help: string, read: () => number): Gauge =>
    new Gauge({
      name,
      help,
      registers,
      collect() {
        this.set(read())
      },
    })
  gauge('sallyport_live_exchanges', 'Requests, streams and WebSockets under way.', () => sums.liveExchanges)
  gauge('sallyport_config_revision', 'Configuration revision in force.', parts.revision)
  gauge('sallyport_lease_granted', '1 while the control plane grants leases.', () =>
    Number(parts.lease().isGranted),
  )
  gauge(
    'sallyport_lease_age_seconds',
    'How long ago the configuration in force was last known to be the present one.',
    () => parts.lease().ageMs / 1_000,
  )
  gauge(
    'sallyport_firewall_overruns',
    'Requests whose inspection used up its time, since the start.',
    () => sums.firewall.overruns,
  )
  gauge(
    'sallyport_firewall_longest_seconds',
    'Longest inspection of a request since the start, time on the processor.',
    () => sums.firewall.longestUs / 1e6,
  )
  gauge('sallyport_journal_admitting', '1 while the journal takes requests.', () =>
    Number(sums.journal.admitting),
  )
  for (const [name, help, read] of JOURNAL_GAUGES)
    gauge(`sallyport_journal_${name}`, help, () => read(sums.journal))
  return {
    contentType: registry.contentType,
    text: async () => {
      threads = await parts.threads()
      sums = sumOfMeasures(threads)
      return `${await registry.metrics()}\n${durationsText(sums.durations)}`
    },
  }
}
