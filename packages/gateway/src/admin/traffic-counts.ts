/** Counts finished exchanges, in plain maps: labels cost the library of metrics more than the rest of the record. */
import { COUNTED_METHODS, OTHER_METHOD } from '@sallyport/contract/words'
import type { Exchange } from '../exchange/exchange.ts'
import { DurationHistogram } from './duration-histogram.ts'
import type { LabelledCounts } from './labelled-counts.ts'
import type { TrafficMeasures } from './traffic-measures.ts'

const METHODS = [...COUNTED_METHODS, OTHER_METHOD]
const INDEX_OF_OTHER = COUNTED_METHODS.length
const INDEX_OF_METHOD = new Map(COUNTED_METHODS.map((method, index) => [method, index]))

export class TrafficCounts {
  /** What an origin answered, by method: most of all, which is found without looking it up. */
  readonly #answered = new Float64Array(METHODS.length)
  /** By outcome and reason, counts by method. */
  readonly #requests = new Map([['origin', new Map([['', this.#answered]])]])
  readonly #durations = new DurationHistogram()
  readonly #originLatencies = new DurationHistogram()

  count({ event }: Pick<Exchange, 'event'>): void {
    const isAnswered = event.outcome === 'origin' && event.reason === ''
    const counts = isAnswered ? this.#answered : this.#countsOf(event.outcome, event.reason)
    const method = INDEX_OF_METHOD.get(event.method) ?? INDEX_OF_OTHER
    counts[method] = (counts[method] ?? 0) + 1
    this.#durations.observe(event.durationUs / 1_000)
    if (event.outcome === 'origin' && event.firstByteUs > 0)
      this.#originLatencies.observe(event.firstByteUs / 1_000)
  }

  read(): Pick<TrafficMeasures, 'requests' | 'durations' | 'originLatencies'> {
    return {
      requests: this.#readRequests(),
      durations: this.#durations.read(),
      originLatencies: this.#originLatencies.read(),
    }
  }

  #countsOf(outcome: string, reason: string): Float64Array {
    const known = this.#requests.get(outcome)
    const counts = known?.get(reason)
    if (counts) return counts
    const begun = new Float64Array(METHODS.length)
    if (known) known.set(reason, begun)
    else this.#requests.set(outcome, new Map([[reason, begun]]))
    return begun
  }

  #readRequests(): LabelledCounts {
    const counted = new Map<string, number>()
    for (const [outcome, reasons] of this.#requests)
      for (const [reason, counts] of reasons)
        for (const [index, method] of METHODS.entries())
          if (counts[index]) counted.set(`${method} ${outcome} ${reason}`, counts[index])
    return counted
  }
}
