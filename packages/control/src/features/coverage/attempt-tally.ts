/** Attempts added up: how many, with which verdicts, by whom, and when. */
import { furthest, VERDICT_WORDS, type VerdictWord } from '@sallyport/contract'

export type Verdicts = Partial<Record<VerdictWord, number>>

const HACKERS_MAX = 100

/** By whom, and when. */
interface Senders {
  readonly researchers: readonly string[]
  readonly researcher_count: number
  readonly first_ms: number
  readonly last_ms: number
}

export class AttemptTally {
  count = 0
  readonly verdicts: Verdicts = {}
  /** None where nobody is named: a map has a tally for each cell. */
  #hackers: Set<string> | undefined
  #most = 0
  #firstMs = Number.POSITIVE_INFINITY
  #lastMs = 0

  /** Adds what a row says of verdicts. */
  addAll(counts: Senders & Readonly<Record<VerdictWord, number>>): void {
    for (const word of VERDICT_WORDS) {
      if (counts[word] === 0) continue
      this.count += counts[word]
      this.verdicts[word] = (this.verdicts[word] ?? 0) + counts[word]
    }
    const { researchers, researcher_count, first_ms, last_ms } = counts
    this.#most = Math.max(this.#most, researcher_count)
    if (researchers.length > 0) this.#hackers ??= new Set()
    for (const researcher of researchers)
      if (this.#hackers && this.#hackers.size < HACKERS_MAX) this.#hackers.add(researcher)
    this.#firstMs = Math.min(this.#firstMs, first_ms)
    this.#lastMs = Math.max(this.#lastMs, last_ms)
  }

  /** The verdict that came furthest. There is at least one row. */
  get verdict(): VerdictWord {
    return furthest(wordsOf(this.verdicts)) ?? 'unanswered'
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
    return new Date(this.#firstMs).toISOString()
  }

  get lastSeen(): string {
    return new Date(this.#lastMs).toISOString()
  }
}

// Counts have no other keys than verdicts.
const wordsOf = (verdicts: Verdicts): VerdictWord[] => Object.keys(verdicts) as VerdictWord[]
