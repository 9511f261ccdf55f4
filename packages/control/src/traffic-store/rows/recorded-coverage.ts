/** What of the record the coverage of a site is made of: rows that analytics reads and coverage judges. Times are milliseconds since the epoch. */
import type { Outcome } from '@sallyport/contract'

/** What became of so many requests, who sent them, and when. */
export interface RecordedVerdicts {
  /** How many had each verdict, in the order of `VERDICT_WORDS`. */
  readonly verdicts: readonly number[]
  /** As many of who sent them as were asked for; strangers have none. */
  readonly researchers: readonly string[]
  /** How many they are, 101 where more; 0 where they were not counted. */
  readonly researcher_count: number
  readonly first_ms: number
  readonly last_ms: number
}

/** Requests to one route by what became of them; see `coverage_hours`. */
export interface RecordedCoverage extends RecordedVerdicts {
  /** `request` counts requests, `class` those with a class of attack. */
  readonly level: 'request' | 'class'
  readonly route: string
  readonly method: string
  /** Empty at the level of requests. */
  readonly class: string
  /** Refused by the gate before the firewall looked. */
  readonly uninspected: number
}

/** Attempts of a class in one place of a request by what became of them; see `attempts_days`. */
export interface RecordedParameter extends RecordedVerdicts {
  readonly route: string
  readonly method: string
  readonly class: string
  readonly part: string
  readonly parameter: string
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
  /** Who made them: one, or none of strangers. */
  readonly researchers: readonly string[]
  readonly first_ms: number
  readonly last_ms: number
}

/** A path that at least two researchers reached by one method. */
export interface RecordedCrossing {
  readonly method: string
  readonly route: string
  readonly path: string
  /** At most 100. */
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
  /** What is in no row, because it went where no operation begins, or was rarer than what there is room for. */
  readonly others: { readonly requests: number; readonly attempts: number }
}

/** How the routes begin that are told apart: by `segments` segments, one of which `beginnings` holds. */
export interface RouteBeginnings {
  readonly segments: number
  readonly beginnings: readonly string[]
}

/** What of who sent it is wanted. */
export interface SenderOptions {
  /** To unite who sent them is half of the work. Without it rows name none. */
  readonly withResearchers?: boolean | undefined
  /** How many of them of a row are named, at most 100. */
  readonly researchersMax?: number | undefined
  /** With researchers, also how many they are. */
  readonly countResearchers?: boolean | undefined
}

/** What of the rows is wanted. */
export interface CoverageOptions extends SenderOptions {
  /** What scanners ask for is mostly nowhere: without this, each such path is a row; with it, all of them are `others`. */
  readonly known?: RouteBeginnings | undefined
}

/** What was recorded of a site in a window, as its coverage needs it. Each call reads anew. */
export interface CoverageRecord {
  /** By route and class of attack. */
  coverage(options?: CoverageOptions): Promise<RecordedMap>
  /** Attempts by route, class and parameter. */
  attempts(options?: CoverageOptions): Promise<Recorded<RecordedParameter>>
  /** The attempts of one class by one method, by researcher and refusing rule, too. */
  attemptsOf(method: string, attackClass: string): Promise<Recorded<RecordedAttempts>>
  /** Paths that at least two researchers reached. */
  crossings(): Promise<Recorded<RecordedCrossing>>
}
