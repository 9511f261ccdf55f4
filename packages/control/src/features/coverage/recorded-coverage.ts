/** What of the record the coverage of a site is made of, and what of its definition. They are given where the features are composed. */
import type { Outcome } from '@sallyport/contract'

export type RecordedLevel = 'request' | 'class' | 'parameter'

/** Requests to one route that are alike in all of this; see `coverage_hours`. Times are milliseconds since the epoch. */
export interface RecordedCoverage {
  readonly level: RecordedLevel
  readonly route: string
  readonly method: string
  readonly class: string
  readonly part: string
  readonly parameter: string
  readonly outcome: Outcome
  readonly status: number
  readonly reason: string
  readonly requests: number
  readonly researchers: readonly string[]
  readonly first_ms: number
  readonly last_ms: number
}

/** Attempts of one class by one method. */
export interface RecordedAttempts
  extends Pick<
    RecordedCoverage,
    'route' | 'part' | 'parameter' | 'outcome' | 'status' | 'reason' | 'first_ms' | 'last_ms'
  > {
  readonly researcher: string
  readonly rule: string
  readonly attempts: number
}

/** Rows that are all there are, or the most frequent of them. */
export interface Recorded<Row> {
  readonly rows: readonly Row[]
  readonly isPartial: boolean
}

export interface DefinedParameter {
  readonly place: 'path' | 'query' | 'header' | 'cookie' | 'body'
  readonly name: string
}

export interface DefinedOperation {
  readonly method: string
  readonly template: string
  readonly source: 'given' | 'learned'
  readonly parameters: readonly DefinedParameter[]
}
