/** The segments that the journal keeps, oldest first, and what still needs each of them. */
import { rmSync, statSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'

/** A place in the journal: a segment's number and a byte offset in it. */
export interface JournalPosition {
  readonly segment: number
  readonly offset: number
}

/** Below zero where `a` comes before `b`. */
export const comparePositions = (a: JournalPosition, b: JournalPosition): number =>
  a.segment === b.segment ? a.offset - b.offset : a.segment - b.segment

/** Mode of a file that is made: for the process's own user alone. A umask can only take away from it. */
export const OWNER_ONLY = 0o600
export const FOLDER_OWNER_ONLY = 0o700

/** File name of a segment. */
export const segmentName = (segment: number): string => `${String(segment).padStart(10, '0')}.journal`

/** A batch of which the bounds are in the journal. */
export interface SealedBatch {
  readonly id: string
  readonly from: JournalPosition
  readonly to: JournalPosition
  readonly events: number
}

/** A stretch of a segment that holds no whole record. */
export interface DamagedStretch {
  readonly start: number
  readonly end: number
}

export interface Segment {
  readonly number: number
  readonly path: string
  /** Size of its file; of the one being written, as of the last look. */
  bytes: number
  /** Intents that lie here and of which the end is not yet acknowledged: the segment must stay until there are none. */
  openIntents: number
  readonly damage: readonly DamagedStretch[]
  /** Events in it that are not acknowledged yet, and their bytes. */
  readonly pending: Tally
}

/** A number of events and the bytes of their records. */
export interface Tally {
  events: number
  bytes: number
  /** Of these, and of the declarations of their senders, what metered senders caused. */
  meteredBytes: number
}

export const noTally = (): Tally => ({ events: 0, bytes: 0, meteredBytes: 0 })

export class Segments {
  readonly #directory: string
  readonly #list: Segment[] = []
  #closedBytes = 0

  readonly #onFailure: (error: unknown) => void

  constructor(directory: string, onFailure: (error: unknown) => void) {
    this.#directory = directory
    this.#onFailure = onFailure
  }

  get oldest(): Segment | undefined {
    return this.#list[0]
  }

  /** The one being written. */
  get newest(): Segment | undefined {
    return this.#list.at(-1)
  }

  get count(): number {
    return this.#list.length
  }

  /** Bytes of all segments but the one being written. */
  get closedBytes(): number {
    return this.#closedBytes
  }

  find(number: number): Segment | undefined {
    return this.#list.find((segment) => segment.number === number)
  }

  /** The first segment after the one of that number. */
  after(number: number): Segment | undefined {
    return this.#list.find((segment) => segment.number > number)
  }

  /** Adds a segment at the end; the one before it will not be written any more. */
  add(number: number, damage: readonly DamagedStretch[] = [], pending: Tally = noTally()): void {
    const last = this.#list.at(-1)
    if (last) {
      last.bytes = statSync(last.path).size
      this.#closedBytes += last.bytes
    }
    const path = join(this.#directory, segmentName(number))
    this.#list.push({ number, path, bytes: 0, openIntents: 0, damage, pending })
  }

  /** What waits in all of them together. */
  get pending(): Readonly<Tally> {
    const sum = noTally()
    for (const { pending } of this.#list) {
      sum.events += pending.events
      sum.bytes += pending.bytes
      sum.meteredBytes += pending.meteredBytes
    }
    return sum
  }

  /** Deletes the oldest segment, never the one being written; its room is free soon, or `now`. */
  deleteOldest(now = false): Segment | undefined {
    if (this.#list.length < 2) return undefined
    const segment = this.#list.shift()
    if (!segment) return undefined
    this.#closedBytes -= segment.bytes
    // Freeing many pages takes its time, so not on the event loop. A file that stays is found and read again at the
    // next start: its events are known to be acknowledged.
    if (!now) rm(segment.path, { force: true }).catch(this.#onFailure)
    else
      try {
        rmSync(segment.path, { force: true })
      } catch (error) {
        this.#onFailure(error)
      }
    return segment
  }
}
