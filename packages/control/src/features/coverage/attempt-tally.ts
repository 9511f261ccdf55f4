/** Attempts added up: how many, with which verdicts, by whom, and when. */
import { VERDICT_WORDS, type VerdictWord } from '@sallyport/contract'
import type { RecordedVerdicts } from '../../traffic-store/rows/recorded-coverage.ts'
import { isoTime } from './iso-time.ts'

export type Verdicts = Partial<Record<VerdictWord, number>>

const HACKERS_MAX = 100

export class AttemptTally {
  count = 0
  /** By verdict, in the order of the words. */
  readonly #counts = VERDICT_WORDS.map(() => 0)
  /** None where nobody is named: a map has a tally for each cell. */
  #hackers: Set<string> | undefined
  #most = 0
  #firstMs = Number.POSITIVE_INFINITY
  #lastMs = 0

  /** Adds what a row says of verdicts. */
  addAll({ verdicts, researchers, researcher_count, first_ms, last_ms }: RecordedVerdicts): void {
    verdicts.forEach((count, index) => {
      this.count += count
      this.#counts[index] = (this.#counts[index] ?? 0) + count
    })
    this.#most = Math.max(this.#most, researcher_count)
    if (researchers.length > 0) this.#hackers ??= new Set()
    for (const researcher of researchers)
      if (this.#hackers && this.#hackers.size < HACKERS_MAX) this.#hackers.add(researcher)
    this.#firstMs = Math.min(this.#firstMs, first_ms)
    this.#lastMs = Math.max(this.#lastMs, last_ms)
  }

  /** How many had each verdict that there was. */
  get verdicts(): Verdicts {
    const verdicts: Verdicts = {}
    VERDICT_WORDS.forEach((word, index) => {
      const count = this.#counts[index] ?? 0
      if (count > 0) verdicts[word] = count
    })
    return verdicts
  }

  /** The verdict that came furthest. There is at least one row. */
  get verdict(): VerdictWord {
    return VERDICT_WORDS[this.#counts.findIndex((count) => count > 0)] ?? 'unanswered'
  }

  get hackers(): string[] {
    return this.#hackers ? [...this.#hackers].sort() : []
  }

  /** How many they are, where they were counted, at most 100: at least that many where several recorded routes are of one cell, and not all are named. */
  get hackerCount(): number | undefined {
    if (this.#most === 0) return undefined
    return Math.min(HACKERS_MAX, Math.max(this.#most, this.#hackers?.size ?? 0))
  }

  get firstSeen(): string {
    return isoTime(this.#firstMs)
  }

  get lastSeen(): string {
    return isoTime(this.#lastMs)
  }
}
