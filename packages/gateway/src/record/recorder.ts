/**
 * What the pipeline sees of the record. A request that goes to an origin is journaled twice: `intend` before its first
 * byte leaves, `record` when its end is known. One that the gate answers itself is only recorded.
 */
import type { RequestLineHead, TrafficEvent, TrafficSender } from '@sallyport/contract'
import type { JournalStatus } from '@sallyport/journal'

/**
 * The part of an event that is known before the request goes to the origin. Of who sent it and of the head of its line nothing
 * changes after that but the kind, the time of a WebSocket's close, and the tool; `record` takes the rest from the intent.
 */
export type TrafficIntent = TrafficSender & RequestLineHead & Pick<TrafficEvent, 'inspection' | 'hits'>

export interface Recorder {
  /** False while the journal is full or cannot be written: nothing may be forwarded then. */
  readonly admitting: boolean
  /**
   * Resolves when the intent is in the journal's file, at the end of this event-loop turn; the request may be forwarded
   * then. If the process dies later, the event is recorded with the outcome `interrupted`. Rejects when the journal
   * cannot be written. A WebSocket that has opened is intended again with the kind `websocket_close`.
   */
  intend(intent: TrafficIntent): Promise<void>
  /** Journals the end of a request, once, whether it was intended before or not. */
  record(event: TrafficEvent): void
  progress(): JournalProgress
  /** Batches with events that were sent, by how the control plane took them. */
  readonly uploads: ReadonlyMap<string, number>
}

/** How the journal stands. `dropped` counts refusals that were not recorded because it was full, too. */
export interface JournalProgress extends JournalStatus {
  readonly admitting: boolean
  /** Refusals of strangers that were counted instead of recorded one by one. */
  readonly aggregated: number
  /** Bytes of strangers' records that are not acknowledged; they have a share of the journal of their own. */
  readonly strangerBytes: number
}
