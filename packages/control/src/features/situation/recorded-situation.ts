/** What the situation needs of the record of traffic; whoever reads the record answers it. Times are milliseconds since the epoch. */
import type { Outcome, TrafficEvent } from '@sallyport/contract'

type Outcomes = Readonly<Record<Outcome, number>>

export interface RecordedSite {
  readonly siteId: string
  readonly total: number
  readonly outcomes: Outcomes
  readonly serverErrors: number
}

export interface RecordedPeriod {
  readonly sites: readonly RecordedSite[]
  readonly senders: readonly { readonly researcherId: string; readonly requests: number }[]
  readonly researchers: number
}

export interface RecordedLimit {
  readonly siteId: string
  readonly policy: string
  readonly refused: number
  readonly researchers: number
  readonly researcherId: string
  readonly lastMs: number
}

export interface RecordedErrors {
  readonly siteId: string
  readonly route: string
  readonly class: string
  readonly requests: number
  readonly status: number | null
  readonly researchers: number
  readonly researcherId: string
  readonly firstMs: number
  readonly lastMs: number
}

export interface RecordedSituation {
  readonly interval: string
  readonly buckets: readonly {
    readonly time: string
    readonly total: number
    readonly outcomes: Outcomes
    readonly serverErrors: number
  }[]
  readonly period: RecordedPeriod
  readonly before: RecordedPeriod
  readonly tools: readonly { readonly value: string; readonly count: number }[]
  readonly rules: readonly { readonly rule: string; readonly class: string; readonly hits: number }[]
  readonly limits: readonly RecordedLimit[]
  readonly errors: readonly RecordedErrors[]
  readonly newest: readonly TrafficEvent[]
}
