/** What the gateway measures of itself, for Prometheus. No label comes from a request, so their number is bounded. */
import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client'
import type { Exchange } from '../exchange/exchange.ts'
import type { JournalProgress } from '../record/recorder.ts'
import { DurationHistogram } from './duration-histogram.ts'

export interface Metrics {
  readonly contentType: string
  text(): Promise<string>
  count(exchange: Exchange): void
}

export interface MeasuredParts {
  readonly liveExchanges: () => number
  readonly revision: () => number
  /** How long ago the control plane vouched for the configuration, and whether it grants leases now. */
  readonly lease: () => { readonly ageMs: number; readonly isGranted: boolean }
  readonly journal: () => JournalProgress
  /** Requests whose inspection by the firewall used up its time, and the longest inspection. */
  readonly firewall: () => { readonly overruns: number; readonly longestUs: number }
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
  // Counted in plain maps and handed over when asked: labels cost the library more than the rest of the record.
  const counts = new Map<string, Map<string, number>>()
  const durations = new DurationHistogram()
  new Counter({
    name: 'sallyport_requests_total',
    help: 'Requests by who answered and why.',
    labelNames: ['outcome', 'reason'],
    registers,
    collect() {
      this.reset()
      for (const [outcome, reasons] of counts)
        for (const [reason, count] of reasons) this.inc({ outcome, reason }, count)
    },
  })
  const gauge = (name: string, help: string, read: () => number): Gauge =>
    new Gauge({
      name,
      help,
      registers,
      collect() {
        this.set(read())
      },
    })
  gauge('sallyport_live_exchanges', 'Requests, streams and WebSockets under way.', parts.liveExchanges)
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
    () => parts.firewall().overruns,
  )
  gauge(
    'sallyport_firewall_longest_seconds',
    'Longest inspection of a request since the start, time on the processor.',
    () => parts.firewall().longestUs / 1e6,
  )
  gauge('sallyport_journal_admitting', '1 while the journal takes requests.', () =>
    Number(parts.journal().admitting),
  )
  for (const [name, help, read] of JOURNAL_GAUGES)
    gauge(`sallyport_journal_${name}`, help, () => read(parts.journal()))
  return {
    contentType: registry.contentType,
    text: async () => `${await registry.metrics()}\n${durations.text()}`,
    count: ({ event }) => {
      const reasons = counts.get(event.outcome) ?? new Map<string, number>()
      if (reasons.size === 0) counts.set(event.outcome, reasons)
      reasons.set(event.reason, (reasons.get(event.reason) ?? 0) + 1)
      durations.observe(event.durationUs / 1_000)
    },
  }
}
