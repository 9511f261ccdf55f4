/** What a thread that serves requests measures of itself, and the sums of several. */
import type { Exchange } from '../exchange/exchange.ts'
import type { JournalProgress } from '../record/recorder.ts'
import { DurationHistogram, type Durations, noDurations, sumOfDurations } from './duration-histogram.ts'

export interface TrafficMeasures {
  /** Finished requests by outcome and reason. */
  readonly requests: readonly (readonly [outcome: string, reason: string, count: number])[]
  readonly durations: Durations
  readonly liveExchanges: number
  /** Requests whose inspection by the firewall used up its time, and the longest inspection. */
  readonly firewall: { readonly overruns: number; readonly longestUs: number }
  readonly journal: JournalProgress
  /** Processor time that the thread has used, milliseconds. */
  readonly processorMs: number
}

/** Counts finished exchanges, in plain maps: labels cost the library of metrics more than the rest of the record. */
export class TrafficCounts {
  readonly #requests = new Map<string, Map<string, number>>()
  readonly #durations = new DurationHistogram()

  count({ event }: Exchange): void {
    const reasons = this.#requests.get(event.outcome) ?? new Map<string, number>()
    if (reasons.size === 0) this.#requests.set(event.outcome, reasons)
    reasons.set(event.reason, (reasons.get(event.reason) ?? 0) + 1)
    this.#durations.observe(event.durationUs / 1_000)
  }

  read(): Pick<TrafficMeasures, 'requests' | 'durations'> {
    const requests = [...this.#requests].flatMap(([outcome, reasons]) =>
      Array.from(reasons, ([reason, count]) => [outcome, reason, count] as const),
    )
    return { requests, durations: this.#durations.read() }
  }
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
  openIntents: 0,
  damagedBytes: 0,
  dropped: 0,
  aggregated: 0,
  strangerBytes: 0,
}

/** What measures nothing. */
export const NO_MEASURES: TrafficMeasures = {
  requests: [],
  durations: noDurations(),
  liveExchanges: 0,
  firewall: { overruns: 0, longestUs: 0 },
  journal: NO_JOURNAL,
  processorMs: 0,
}

/** One gateway's measures of those of its threads. */
export function sumOfMeasures(all: readonly TrafficMeasures[]): TrafficMeasures {
  const requests = new Map<string, number>()
  for (const { requests: counted } of all)
    for (const [outcome, reason, count] of counted) {
      const key = `${outcome} ${reason}`
      requests.set(key, (requests.get(key) ?? 0) + count)
    }
  return {
    requests: Array.from(requests, ([key, count]) => {
      const space = key.indexOf(' ')
      return [key.slice(0, space), key.slice(space + 1), count] as const
    }),
    durations: sumOfDurations(all.map(({ durations }) => durations)),
    liveExchanges: sum(all, ({ liveExchanges }) => liveExchanges),
    firewall: {
      overruns: sum(all, ({ firewall }) => firewall.overruns),
      longestUs: Math.max(0, ...all.map(({ firewall }) => firewall.longestUs)),
    },
    journal: sumOfJournals(all.map(({ journal }) => journal)),
    processorMs: sum(all, ({ processorMs }) => processorMs),
  }
}

/** What counts since the start is kept of a thread that has ended; what is of the moment is not. */
export const afterEnd = ({ journal, ...measures }: TrafficMeasures): TrafficMeasures => ({
  ...measures,
  liveExchanges: 0,
  journal: { ...NO_JOURNAL, dropped: journal.dropped, aggregated: journal.aggregated },
})

const sumOfJournals = (all: readonly JournalProgress[]): JournalProgress => ({
  admitting: all.every(({ admitting }) => admitting),
  pending: sum(all, ({ pending }) => pending),
  pendingBytes: sum(all, ({ pendingBytes }) => pendingBytes),
  lagMs: Math.max(0, ...all.map(({ lagMs }) => lagMs)),
  bytes: sum(all, ({ bytes }) => bytes),
  openIntents: sum(all, ({ openIntents }) => openIntents),
  damagedBytes: sum(all, ({ damagedBytes }) => damagedBytes),
  dropped: sum(all, ({ dropped }) => dropped),
  aggregated: sum(all, ({ aggregated }) => aggregated),
  strangerBytes: sum(all, ({ strangerBytes }) => strangerBytes),
})

const sum = <Item>(items: readonly Item[], of: (item: Item) => number): number =>
  items.reduce((total, item) => total + of(item), 0)
