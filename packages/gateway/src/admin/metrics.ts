/**
 * What the gateway measures of itself, for Prometheus. No label comes from a request, so their number is bounded. Process and Node
 * have the names that every exporter gives them; ours begin with `sallyport_`, counters end with `_total`.
 */
import type * as library from 'prom-client'
import { durationsText } from './duration-histogram.ts'
import type { LabelledCounts } from './labelled-counts.ts'
import { NO_MEASURES, sumOfMeasures, type TrafficMeasures } from './traffic-measures.ts'

export interface Metrics {
  readonly contentType: string
  text(): Promise<string>
}

export interface MeasuredParts {
  /** Of the program. */
  readonly version: string
  readonly isReady: () => boolean
  readonly revision: () => number
  /** How long ago the control plane vouched for the configuration, and whether it grants leases now. */
  readonly lease: () => { readonly ageMs: number; readonly isGranted: boolean }
  /** What each thread that serves requests has measured, by its number. */
  readonly threads: () => readonly TrafficMeasures[] | Promise<readonly TrafficMeasures[]>
  /** How often a thread was started again; 0 where there is one that cannot be. */
  readonly threadRestarts: () => number
}

/** What is read at once, for one answer. */
interface Measured {
  readonly threads: readonly TrafficMeasures[]
  readonly all: TrafficMeasures
  readonly parts: MeasuredParts
}

type Read = (measured: Measured) => number
type ReadCounts = (measured: Measured) => LabelledCounts

const GAUGES: readonly (readonly [string, string, Read])[] = [
  ['ready', '1 while the gateway is ready to serve.', ({ parts }) => Number(parts.isReady())],
  ['live_exchanges', 'Requests, streams and WebSockets under way.', ({ all }) => all.liveExchanges],
  ['config_revision', 'Configuration revision in force.', ({ parts }) => parts.revision()],
  [
    'lease_granted',
    '1 while the control plane grants leases.',
    ({ parts }) => Number(parts.lease().isGranted),
  ],
  [
    'lease_age_seconds',
    'How long ago the configuration in force was last known to be the present one.',
    ({ parts }) => parts.lease().ageMs / 1_000,
  ],
  [
    'firewall_longest_seconds',
    'Longest inspection of a request since the start, time on the processor.',
    ({ all }) => all.firewall.longestUs / 1e6,
  ],
  ['journal_admitting', '1 while the journal takes requests.', ({ all }) => Number(all.journal.admitting)],
  [
    'journal_pending_events',
    'Events that the control plane has not acknowledged.',
    ({ all }) => all.journal.pending,
  ],
  [
    'journal_oldest_unsent_seconds',
    'How long the oldest of them has waited.',
    ({ all }) => all.journal.lagMs / 1_000,
  ],
  ['journal_bytes', 'Size of the journal on disk.', ({ all }) => all.journal.bytes],
  ['journal_limit_bytes', 'What the journal may take on disk.', ({ all }) => all.journal.bytesMax],
  ['journal_open_intents', 'Requests that are with an origin.', ({ all }) => all.journal.openIntents],
  ['journal_damaged_bytes', 'Bytes found damaged and set aside.', ({ all }) => all.journal.damagedBytes],
  [
    'journal_stranger_bytes',
    "Bytes of strangers' records that the control plane has not acknowledged.",
    ({ all }) => all.journal.strangerBytes,
  ],
]

const COUNTERS: readonly (readonly [string, string, Read])[] = [
  [
    'thread_restarts_total',
    'Threads that failed and were started again.',
    ({ parts }) => parts.threadRestarts(),
  ],
  [
    'firewall_overruns_total',
    'Requests whose inspection used up its time.',
    ({ all }) => all.firewall.overruns,
  ],
  [
    'journal_dropped_events_total',
    'Events not kept because the journal was full.',
    ({ all }) => all.journal.dropped,
  ],
  [
    'journal_aggregated_refusals_total',
    'Refusals of strangers that were counted instead of recorded one by one.',
    ({ all }) => all.journal.aggregated,
  ],
]

const LABELLED_COUNTERS: readonly (readonly [string, string, readonly string[], ReadCounts])[] = [
  [
    'requests_total',
    'Requests by method, by who answered and why.',
    ['method', 'outcome', 'reason'],
    ({ all }) => all.requests,
  ],
  [
    'thread_requests_total',
    'Requests by the thread that served them.',
    ['thread'],
    ({ threads }) =>
      byThread(threads, ({ durations }) => durations.counts.reduce((total, count) => total + count, 0)),
  ],
  [
    'thread_processor_seconds_total',
    'Processor time by thread.',
    ['thread'],
    ({ threads }) => byThread(threads, ({ processorMs }) => processorMs / 1_000),
  ],
  ['origin_errors_total', 'Failures of origins by reason.', ['reason'], ({ all }) => all.originErrors],
  [
    'uploads_total',
    'Batches that were sent, by how the control plane took them.',
    ['result'],
    ({ all }) => all.uploads,
  ],
  [
    'shared_limit_decisions_total',
    'Decisions on limits that are shared through Valkey, by who made them.',
    ['by'],
    ({ all: { sharedLimits } }) =>
      new Map(
        sharedLimits
          ? [
              ['valkey', sharedLimits.shared],
              ['lent', sharedLimits.lent],
              ['fallback', sharedLimits.fallback],
            ]
          : [],
      ),
  ],
]

/** Gauges that have a series only where there is something. */
const OPTIONAL_GAUGES: readonly (readonly [string, string, readonly string[], ReadCounts])[] = [
  [
    'valkey_up',
    '1 while Valkey answers; absent where limits are not shared.',
    [],
    ({ all }) => new Map(all.sharedLimits ? [['', Number(all.sharedLimits.isThere)]] : []),
  ],
  [
    'certificate_expiration_timestamp_seconds',
    'When a certificate expires, by its name in the folder.',
    ['certificate'],
    ({ all }) => new Map(Array.from(all.certificates, ([name, expiresAtMs]) => [name, expiresAtMs / 1_000])),
  ],
]

/** Of text in the format of Prometheus. */
const CONTENT_TYPE = 'text/plain; version=0.0.4; charset=utf-8'

/** The metrics of one gateway, in a registry of their own. It is made at the first question, with the library: a gateway that nobody asks goes without. */
export function createMetrics(parts: MeasuredParts): Metrics {
  let made: Promise<() => Promise<string>> | undefined
  return {
    contentType: CONTENT_TYPE,
    text: async () => {
      made ??= openRegistry(parts)
      return (await made)()
    },
  }
}

/** Returns what reads all of them. */
async function openRegistry(parts: MeasuredParts): Promise<() => Promise<string>> {
  const { Counter, collectDefaultMetrics, Gauge, Registry } = await import('prom-client')
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  // Read once for each answer.
  let measured: Measured = { threads: [], all: NO_MEASURES, parts }
  const define = (
    Kind: typeof library.Counter | typeof library.Gauge,
    [name, help, labelNames, read]: (typeof LABELLED_COUNTERS)[number],
  ): unknown =>
    new Kind({
      name: `sallyport_${name}`,
      help,
      labelNames: [...labelNames],
      registers: [registry],
      collect() {
        this.reset()
        const counts = read(measured)
        if (labelNames.length === 0 && counts.size === 0) this.remove()
        // A label may be empty; where there is one alone, its value may have spaces.
        for (const [joined, value] of counts) {
          const values = labelNames.length === 1 ? [joined] : joined.split(' ')
          this.inc(Object.fromEntries(labelNames.map((label, index) => [label, values[index] ?? ''])), value)
        }
      },
    })
  const unlabelled = ([name, help, read]: (typeof GAUGES)[number]) =>
    [name, help, [], (now: Measured) => new Map([['', read(now)]])] as const
  for (const gauge of GAUGES) define(Gauge, unlabelled(gauge))
  for (const gauge of OPTIONAL_GAUGES) define(Gauge, gauge)
  for (const counter of COUNTERS) define(Counter, unlabelled(counter))
  for (const counter of LABELLED_COUNTERS) define(Counter, counter)
  define(Gauge, [
    'build_info',
    'Version of the program and of Node; always 1.',
    ['version', 'node'],
    () => new Map([[`${parts.version} ${process.version}`, 1]]),
  ])
  return async () => {
    const threads = await parts.threads()
    const all = sumOfMeasures(threads)
    measured = { threads, all, parts }
    return `${await registry.metrics()}\n${histogramsText(all)}`
  }
}

const histogramsText = ({ durations, originLatencies }: TrafficMeasures): string =>
  durationsText(
    'sallyport_request_duration_seconds',
    'From the request head to the end of the answer.',
    durations,
  ) +
  durationsText(
    'sallyport_origin_latency_seconds',
    "From the request head to the head of the origin's answer.",
    originLatencies,
  )

const byThread = (
  threads: readonly TrafficMeasures[],
  of: (measures: TrafficMeasures) => number,
): LabelledCounts => new Map(threads.map((measures, thread) => [String(thread), of(measures)]))
