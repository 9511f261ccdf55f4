/** What of the record the coverage of a site is made of, and what of its definition. They are given where the features are composed. */
import type { Outcome, VerdictWord } from '@sallyport/contract'

/** Requests to one route by what became of them; see `coverage_hours`. Times are milliseconds since the epoch. */
export interface RecordedCoverage extends Readonly<Record<VerdictWord, number>> {
  readonly level: 'request' | 'class'
  readonly route: string
  readonly method: string
  readonly class: string
  /** Refused by the gate before the firewall looked. */
  readonly uninspected: number
  /** Empty where it was not asked for. */
  readonly researchers: readonly string[]
  /** How many they are, 101 where more; 0 where they were not counted. */
  readonly researcher_count: number
  readonly first_ms: number
  readonly last_ms: number
}

/** Attempts of a class in one place of a request by what became of them; see `attempts_days`. */
export interface RecordedParameter extends Readonly<Record<VerdictWord, number>> {
  readonly route: string
  readonly method: string
  readonly class: string
  readonly part: string
  readonly parameter: string
  readonly researchers: readonly string[]
  readonly researcher_count: number
  readonly first_ms: number
  readonly last_ms: number
}

/** Attempts of a class that are alike in all of this; see `attempts_hours`. */
export interface RecordedAttempts {
  readonly route: string
  readonly method: string
  readonly class: string
  readonly part: string
  readonly parameter: string
  readonly outcome: Outcome
  readonly status: number
  readonly reason: string
  readonly rule: string
  readonly attempts: number
  readonly researchers: readonly string[]
  readonly first_ms: number
  readonly last_ms: number
}

/** A path that at least two researchers reached by one method. */
export interface RecordedCrossing {
  readonly method: string
  readonly route: string
  readonly path: string
  readonly researchers: readonly string[]
  readonly requests: number
  readonly last_ms: number
}

/** Rows that are all there are, or the most frequent of them. */
export interface Recorded<Row> {
  readonly rows: readonly Row[]
  readonly isPartial: boolean
}

/** What was recorded of a site, by route and class. */
export interface RecordedMap extends Recorded<RecordedCoverage> {
  /** What is in no row, because it went where no operation begins. */
  readonly others: { readonly requests: number; readonly attempts: number }
}

export interface DefinedParameter {
  readonly place: 'path' | 'query' | 'header' | 'cookie' | 'body'
  readonly name: string
}

export interface DefinedOperation {
  readonly method: string
  readonly template: string
  readonly source: 'given' | 'confirmed' | 'learned'
  readonly parameters: readonly DefinedParameter[]
}
