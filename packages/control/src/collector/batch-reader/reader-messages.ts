/**
 * What the thread that reads batches (`reader-thread.ts`) and the one that serves them (`batch-reader.ts`) send each other.
 * Each batch has a channel of its own, which is closed when the batch is done with, however it ended.
 */
import type { MessagePort } from 'node:worker_threads'
import type { BatchHeader, TrafficEvent } from '@sallyport/contract'
import type { RetentionDays, Span } from './gathered-batch.ts'
import type { BadLine, BatchSource } from './read-batch.ts'

/** To the thread itself: a batch comes through this port. */
export interface NewBatch {
  readonly port: MessagePort
  readonly source: BatchSource
}

/** To the thread, of one batch. */
export type ToReader =
  /** A piece of the body, as the chunks that it came in; one for each `more`. */
  | { readonly kind: 'piece'; readonly chunks: readonly Uint8Array<ArrayBuffer>[] }
  /** The body is complete. */
  | { readonly kind: 'end' }
  | Question

/** Of a batch that was read. */
export type Question =
  /** Asks for requests as rows for the store. */
  | { readonly kind: 'rows'; readonly span: Span; readonly retentionDays: RetentionDays }
  /** Asks for what the requests teach, as rows for the store. */
  | { readonly kind: 'observations'; readonly retentionDays: RetentionDays }
  /** Asks for those requests that belong to one of the organizations, as events. */
  | { readonly kind: 'events'; readonly span: Span; readonly orgIds: ReadonlySet<string> }

/** From the thread, of one batch. */
export type FromReader =
  /** There is room for a piece of the body. */
  | { readonly kind: 'more' }
  | { readonly kind: 'header'; readonly header: BatchHeader }
  /** The whole body was read. */
  | {
      readonly kind: 'read'
      readonly header: BatchHeader
      readonly badLines: readonly BadLine[]
      readonly count: number
      readonly firstTime: number
      readonly orgIds: readonly string[]
      /** Of a part. */
      readonly compressedLines?: Uint8Array
    }
  /** The batch as a whole can never be stored. */
  | { readonly kind: 'bad'; readonly badLine: BadLine }
  /** The batch was not read, for a reason that may pass. */
  | { readonly kind: 'failed'; readonly reason: string }
  /** Answers, in the order of the questions. */
  | { readonly kind: 'rows'; readonly rows: Uint8Array<ArrayBuffer> }
  | { readonly kind: 'observations'; readonly rows: Uint8Array<ArrayBuffer> }
  | { readonly kind: 'events'; readonly events: TrafficEvent[] }
