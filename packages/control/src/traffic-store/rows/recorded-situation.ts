/** What the situation of an organization is made of: analytics counts it, the situation ranks it. Times are milliseconds since the epoch. */
import type { Outcome, TrafficEvent } from '@sallyport/contract'

type Outcomes = Record<Outcome, number>

export interface RecordedBucket {
  readonly time: string
  readonly total: number
  readonly outcomes: Outcomes
  readonly serverErrors: number
}

export interface RecordedSite {
  /** Empty for what concerns none. */
  readonly siteId: string
  readonly total: number
  readonly outcomes: Readonly<Outcomes>
  readonly serverErrors: number
}

export interface RecordedSender {
  /** Empty for strangers. */
  readonly researcherId: string
  readonly requests: number
  /** Those of them that count as a scanner's. */
  readonly scanners: number
}

/** What one period held. */
export interface RecordedPeriod {
  readonly sites: readonly RecordedSite[]
  /** Who sent most. */
  readonly senders: readonly RecordedSender[]
  /** How many sent any. */
  readonly researchers: number
  /** Requests that scanners sent. */
  readonly scanners: number
}

/** A rate limit that refused. */
export interface RecordedLimit {
  readonly siteId: string
  readonly policy: string
  readonly refused: number
  /** How many researchers it refused, and the one of whom it refused most. */
  readonly researchers: number
  readonly researcherId: string
  readonly lastMs: number
}

/** A rule of the firewall that matched. */
export interface RecordedRule {
  readonly rule: string
  readonly class: string
  readonly hits: number
}

/** Answers 5xx of the origin to requests with a hit. */
export interface RecordedErrors {
  readonly siteId: string
  readonly route: string
  readonly class: string
  /** Requests, each once however many parameters of it had a hit. */
  readonly requests: number
  /** Null where there were several. */
  readonly status: number | null
  readonly researchers: number
  /** Who sent them, where it was one researcher. */
  readonly researcherId: string
  readonly firstMs: number
  readonly lastMs: number
}

export interface RecordedSituation {
  readonly interval: string
  readonly buckets: readonly RecordedBucket[]
  readonly period: RecordedPeriod
  readonly before: RecordedPeriod
  readonly tools: readonly { readonly value: string; readonly count: number }[]
  readonly rules: readonly RecordedRule[]
  readonly limits: readonly RecordedLimit[]
  readonly errors: readonly RecordedErrors[]
  readonly newest: readonly TrafficEvent[]
}
