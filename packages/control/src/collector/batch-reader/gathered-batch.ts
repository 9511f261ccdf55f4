/** A batch that was read, its requests lying in a block until they are stored. */
import type { TrafficEvent } from '@sallyport/contract'
import type { BatchSummary } from './read-batch.ts'

/** Requests of a batch, from `first` up to, but without, `end`. */
export interface Span {
  readonly first: number
  readonly end: number
}

/** For how many days the requests of each organization are kept. */
export type RetentionDays = ReadonlyMap<string, number>

export interface GatheredBatch extends BatchSummary {
  /** How many requests there are. */
  readonly count: number
  /** When the first of them began, milliseconds since the epoch; Infinity where there is none. */
  readonly firstTime: number
  /** The organizations that they belong to. */
  readonly orgIds: readonly string[]
  /** Requests as the store takes them: a block of the format `Native`, in memory that is the caller's. */
  rows(span: Span, retentionDays: RetentionDays): Promise<Buffer<ArrayBuffer>>
  /** What the requests teach of the APIs of their sites, as a block for the store; asked once. Empty where they teach nothing. */
  observations(retentionDays: RetentionDays): Promise<Buffer<ArrayBuffer>>
  /** Those of the requests that belong to one of the organizations. */
  events(span: Span, orgIds: ReadonlySet<string>): Promise<TrafficEvent[]>
}
