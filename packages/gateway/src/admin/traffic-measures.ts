/** What a thread that serves requests measures of itself, and the sums of several. */
import type { JournalProgress } from '../record/recorder.ts'
import type { SharedStanding } from '../stages/limit/counters.ts'
import { type Durations, noDurations, sumOfDurations } from './duration-histogram.ts'
import { type LabelledCounts, sumOfLabelledCounts } from './labelled-counts.ts'

export interface TrafficMeasures {
  /** Finished requests by method, outcome and reason. */
  readonly requests: LabelledCounts
  readonly durations: Durations
  /** From request heads to the heads of the origins' answers. */
  readonly originLatencies: Durations
  /** Failures of origins, by reason. */
  readonly originErrors: LabelledCounts
  readonly liveExchanges: number
  /** Requests whose inspection by the firewall used up its time, and the longest inspection. */
  readonly firewall: { readonly overruns: number; readonly longestUs: number }
  /** Limits that are shared through Valkey; null where there is none. */
  readonly sharedLimits: SharedStanding | null
  /** When certificates expire, milliseconds since the epoch, by their names in the folder. */
  readonly certificates: ReadonlyMap<string, number>
  readonly journal: JournalProgress
  /** Batches that were sent, by how the control plane took them. */
  readonly uploads: LabelledCounts
  /** Processor time that the thread has used, milliseconds. */
  readonly processorMs: number
}

/** Processor time of the thread that asks, milliseconds. */
export function threadProcessorMs(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1_000
}

const NO_JOURNAL: JournalProgress = {
  admitting: true,
  pending: 0,
  pendingBytes: 0,
  lagMs: 0,
  bytes: 0,
  bytesMax: 0,
  openIntents: 0,
  damagedBytes: 0,
  dropped: 0,
  aggregated: 0,
  strangerBytes: 0,
}

/** What measures nothing. */
export const NO_MEASURES: TrafficMeasures = {
  requests: new Map(),
  durations: noDurations(),
  originLatencies: noDurations(),
  originErrors: new Map(),
  liveExchanges: 0,
  firewall: { overruns: 0, longestUs: 0 },
  sharedLimits: null,
  certificates: new Map(),
  journal: NO_JOURNAL,
  uploads: new Map(),
  processorMs: 0,
}

/** One gateway's measures of those of its threads. */
export function sumOfMeasures(all: readonly TrafficMeasures[]): TrafficMeasures {
  return {
    requests: sumOfLabelledCounts(all.map(({ requests }) => requests)),
    durations: sumOfDurations(all.map(({ durations }) => durations)),
    originLatencies: sumOfDurations(all.map(({ originLatencies }) => originLatencies)),
    originErrors: sumOfLabelledCounts(all.map(({ originErrors }) => originErrors)),
    liveExchanges: sum(all, ({ liveExchanges }) => liveExchanges),
    firewall: {
      overruns: sum(all, ({ firewall }) => firewall.overruns),
      longestUs: Math.max(0, ...all.map(({ firewall }) => firewall.longestUs)),
    },
    sharedLimits: sumOfSharedLimits(all.flatMap(({ sharedLimits }) => sharedLimits ?? [])),
    certificates: earliestOf(all.map(({ certificates }) => certificates)),
    journal: sumOfJournals(all.map(({ journal }) => journal)),
    uploads: sumOfLabelledCounts(all.map(({ uploads }) => uploads)),
    processorMs: sum(all, ({ processorMs }) => processorMs),
  }
}

/** What counts since the start is kept of a thread that has ended; what is of the moment is not. */
export const afterEnd = ({ journal, sharedLimits, ...measures }: TrafficMeasures): TrafficMeasures => ({
  ...measures,
  liveExchanges: 0,
  sharedLimits: sharedLimits && { ...sharedLimits, isThere: true },
  certificates: new Map(),
  journal: { ...NO_JOURNAL, dropped: journal.dropped, aggregated: journal.aggregated },
})

const sumOfSharedLimits = (all: readonly SharedStanding[]): SharedStanding | null =>
  all.length === 0
    ? null
    : {
        isThere: all.every(({ isThere }) => isThere),
        shared: sum(all, ({ shared }) => shared),
        lent: sum(all, ({ lent }) => lent),
        fallback: sum(all, ({ fallback }) => fallback),
      }

/** A certificate that was renewed is in use in every thread within a second. */
function earliestOf(all: readonly TrafficMeasures['certificates'][]): TrafficMeasures['certificates'] {
  const earliest = new Map<string, number>()
  for (const certificates of all)
    for (const [name, expiresAtMs] of certificates)
      earliest.set(name, Math.min(expiresAtMs, earliest.get(name) ?? Number.POSITIVE_INFINITY))
  return earliest
}

const sumOfJournals = (all: readonly JournalProgress[]): JournalProgress => ({
  admitting: all.every(({ admitting }) => admitting),
  pending: sum(all, ({ pending }) => pending),
  pendingBytes: sum(all, ({ pendingBytes }) => pendingBytes),
  lagMs: Math.max(0, ...all.map(({ lagMs }) => lagMs)),
  bytes: sum(all, ({ bytes }) => bytes),
  bytesMax: sum(all, ({ bytesMax }) => bytesMax),
  openIntents: sum(all, ({ openIntents }) => openIntents),
  damagedBytes: sum(all, ({ damagedBytes }) => damagedBytes),
  dropped: sum(all, ({ dropped }) => dropped),
  aggregated: sum(all, ({ aggregated }) => aggregated),
  strangerBytes: sum(all, ({ strangerBytes }) => strangerBytes),
})

const sum = <Item>(items: readonly Item[], of: (item: Item) => number): number =>
  items.reduce((total, item) => total + of(item), 0)
