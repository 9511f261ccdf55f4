/** What a journal is opened with, what is written into it, and what it says of itself. */

export interface JournalOptions {
  /** Where the segments are; made if it is not there. */
  readonly directory: string
  /** One file of the journal is closed and the next begun at this size. */
  readonly segmentBytesMax: number
  /** What waits to be acknowledged fills at most this much; then `whenFull` applies. */
  readonly totalBytesMax: number
  /** Whether that is less where the disk has little room: half of what is free and what the journal has. */
  readonly followsFreeSpace?: boolean
  /** How many journals share what is free on the disk, if several do. */
  readonly sharers?: number
  /** `stop`: admit no more events until some are acknowledged. `drop-oldest`: delete the oldest segment. */
  readonly whenFull: 'stop' | 'drop-oldest'
  /** Whether what a sender causes is counted in `meteredBytes`, which the caller bounds. Such a sender appends, and intends nothing. */
  readonly isMetered: (sender: string) => boolean
  /** The part of `totalBytesMax` that is kept for metered senders; the others fill the rest. */
  readonly meteredPart: number
  readonly log: (level: 'info' | 'warn' | 'error', line: string) => void
}

/** How the journal stands. */
export interface JournalStatus {
  readonly bytes: number
  /** Events that are not acknowledged, and the bytes of their records. */
  readonly pending: number
  readonly pendingBytes: number
  /** How long the oldest event that is not acknowledged has waited, at least; milliseconds. */
  readonly lagMs: number
  /** What the files may take now. */
  readonly bytesMax: number
  /** Events that have begun and not ended. */
  readonly openIntents: number
  readonly damagedBytes: number
  /** Events lost by `drop-oldest`. */
  readonly dropped: number
}

/** The beginning of an event. */
export interface Intent {
  readonly sender: string
  /** What is known of the event now and stays so. */
  readonly head: string
  /** How the event ends if the process dies before it. */
  readonly tail: string
}

/** An intent as it was written. */
export interface WrittenIntent extends Intent {
  readonly reference: number
}

/** An event that has begun. */
export interface OpenIntent {
  readonly reference: number
  /** As given when it began. */
  readonly label: string
}
