/** Attempts added up: how many, with which verdicts, by whom, and when. */
import { furthest, type VerdictWord, verdictOf } from '@sallyport/contract'
import type { RecordedCoverage } from './recorded-coverage.ts'

export type Verdicts = Partial<Record<VerdictWord, number>>

const HACKERS_MAX = 100

type Row = Omit<RecordedCoverage, 'level' | 'route' | 'method' | 'class' | 'part' | 'parameter'>

export class AttemptTally {
  count = 0
  readonly verdicts: Verdicts = {}
  readonly #hackers = new Set<string>()
  #firstMs = Number.POSITIVE_INFINITY
  #lastMs = 0

  add(row: Row): void {
    const verdict = verdictOf(row)
    this.count += row.requests
    this.verdicts[verdict] = (this.verdicts[verdict] ?? 0) + row.requests
    for (const researcher of row.researchers)
      if (this.#hackers.size < HACKERS_MAX) this.#hackers.add(researcher)
    this.#firstMs = Math.min(this.#firstMs, row.first_ms)
    this.#lastMs = Math.max(this.#lastMs, row.last_ms)
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
