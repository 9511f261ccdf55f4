/** Attempts added up: how many, with which verdicts, by whom, and when. */
import { furthest, VERDICT_WORDS, type VerdictWord } from '@sallyport/contract'

export type Verdicts = Partial<Record<VerdictWord, number>>

const HACKERS_MAX = 100

/** By whom, and when. */
interface Senders {
  readonly researchers: readonly string[]
  readonly first_ms: number
  readonly last_ms: number
}

export class AttemptTally {
  count = 0
  readonly verdicts: Verdicts = {}
  readonly #hackers = new Set<string>()
  #firstMs = Number.POSITIVE_INFINITY
  #lastMs = 0

  /** Adds what a row says of verdicts. */
  addAll(counts: Senders & Readonly<Record<VerdictWord, number>>): void {
    for (const word of VERDICT_WORDS) if (counts[word] > 0) this.add(word, counts[word], counts)
  }

  add(verdict: VerdictWord, count: number, { researchers, first_ms, last_ms }: Senders): void {
    this.count += count
    this.verdicts[verdict] = (this.verdicts[verdict] ?? 0) + count
    for (const researcher of researchers) if (this.#hackers.size < HACKERS_MAX) this.#hackers.add(researcher)
    this.#firstMs = Math.min(this.#firstMs, first_ms)
    this.#lastMs = Math.max(this.#lastMs, last_ms)
  }

  /** The verdict that came furthest. There is at least one row. */
  get verdict(): VerdictWord {
    return furthest(wordsOf(this.verdicts)) ?? 'unanswered'
  }

  get hackers(): string[] {
    return [...this.#hackers].sort()
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
