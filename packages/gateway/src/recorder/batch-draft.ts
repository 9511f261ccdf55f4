/** A batch while it is being put together: one growing buffer of newline-delimited JSON, and where its events lay. */
import { BATCH_EVENTS_MAX } from '@sallyport/contract'
import type { Tally } from './segments.ts'

/** A batch takes no further event from this size on; one event more keeps it well under the contract's bound. */
const BATCH_BYTES = 4 * 1024 * 1024
const FIRST_BYTES = 64 * 1024
const LINE_FEED = 0x0a

export class BatchDraft {
  /** Events and bytes taken from each segment. */
  readonly taken = new Map<number, Tally>()
  /** The segment of each intent that these events close. */
  readonly closed: number[] = []
  events = 0
  #bytes = Buffer.allocUnsafe(FIRST_BYTES)
  #used = 0

  get full(): boolean {
    return this.events >= BATCH_EVENTS_MAX || this.#used >= BATCH_BYTES
  }

  get body(): Buffer {
    return this.#bytes.subarray(0, this.#used)
  }

  /** Adds a line: `head`, if there is one, and what lies between `start` and `end` of `bytes`. */
  add(head: Buffer | undefined, bytes: Buffer, start: number, end: number): void {
    const headBytes = head?.length ?? 0
    this.#makeRoom(headBytes + end - start + 1)
    head?.copy(this.#bytes, this.#used)
    bytes.copy(this.#bytes, this.#used + headBytes, start, end)
    this.#used += headBytes + end - start
    this.#bytes[this.#used] = LINE_FEED
    this.#used += 1
    this.events += 1
  }

  /** Notes that a record of a segment has been dealt with. */
  take(segment: number, bytes: number): void {
    const tally = this.taken.get(segment) ?? { events: 0, bytes: 0 }
    tally.events += 1
    tally.bytes += bytes
    this.taken.set(segment, tally)
  }

  #makeRoom(bytes: number): void {
    if (this.#used + bytes <= this.#bytes.length) return
    const larger = Buffer.allocUnsafe(Math.max(this.#bytes.length * 2, this.#used + bytes))
    this.#bytes.copy(larger, 0, 0, this.#used)
    this.#bytes = larger
  }
}
